import type { IDataObject } from 'n8n-workflow';
import type { PayloadEntries } from '../../client/fields/field';
import { createPayload, toMultipartFields } from '../../client/records/payload';

/** Converts payload entries to a JSON body or to the platform's FormData, which can be sent again after a new login. */
export function toRequestBody(
  entries: PayloadEntries,
  purpose: 'create' | 'update' = 'create',
): IDataObject | FormData {
  const payload = createPayload(entries, purpose);
  if (payload.kind === 'json') return payload.values as IDataObject;
  const form = new FormData();
  for (const [name, value] of toMultipartFields(payload.entries)) {
    if (typeof value === 'string') form.append(name, value);
    else
      form.append(
        name,
        new Blob([value.data as Uint8Array<ArrayBuffer>], { type: value.mimeType }),
        value.fileName,
      );
  }
  return form;
}

import type { IDataObject } from 'n8n-workflow';
import { multipartFields, payloadOf } from '../model/record';
import type { Entries } from '../model/fields';

/** The payload as the request's body. The platform's FormData can be sent again after a new login. */
export function bodyOf(entries: Entries): IDataObject | FormData {
  const payload = payloadOf(entries);
  if (payload.kind === 'json') return payload.values as IDataObject;
  const form = new FormData();
  for (const [name, value] of multipartFields(payload.entries)) {
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

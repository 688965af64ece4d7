import type { IBinaryKeyData, IDataObject, INodeProperties } from 'n8n-workflow';
import { carriedFile, fileOptions, madeFile } from '../../shared/kit/binaryOutput';
import type { Item } from '../../shared/kit/item';
import { outputs, type Output } from '../../shared/kit/operation';
import { FileContent, PDF_TYPE } from '../../shared/transport/content';
import { fileNameOf } from '../../shared/transport/fileName';
import { secretsOf } from '../../shared/transport/keys';
import { redact } from '../../shared/transport/redact';
import { filesIn, withoutFile } from './fileIn';

export const pdfOptions: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: fileOptions,
};

const named = (name: string, otherwise: string) => (/\.[a-z0-9]{2,4}$/i.test(name) ? name : otherwise);

/** A page that shows the PDF, or says that there is none, is not the PDF; nor is a picture or a document. */
const OTHER =
  /^(text|image|audio|video)\/|html|json|officedocument|opendocument|msword|ms-(excel|powerpoint)/i;
const isOther = (files: IBinaryKeyData) => Object.values(files).some(({ mimeType }) => OTHER.test(mimeType));

/** An address without what may let others in: a signature in its query, a user, our own keys. */
const shown = (item: Item, address: string): string =>
  redact(address.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//'), secretsOf(item.client.keys));

/**
 * What the answer to a PDF's creation holds, which the spec does not show: the file itself, base64 of it or
 * its address become binary data; any other answer is handed on as it is, and each of a list by itself. `title`
 * names a file that the service gives no name.
 */
export async function pdfOutput(item: Item, body: unknown, title = 'document'): Promise<Output[]> {
  const ownName = `${title}.pdf`;
  if (body instanceof FileContent) {
    const name = named(fileNameOf(body.disposition), ownName);
    const binary = await carriedFile(item, body.data, name, body.mimeType);
    return [{ json: { fileName: name, mimeType: body.mimeType, bytes: body.data.length }, binary }];
  }
  if (Array.isArray(body)) {
    const found: Output[] = [];
    for (const one of body) found.push(...(await pdfOutput(item, one, title)));
    return found;
  }
  let failure: unknown;
  for (const { text, data } of filesIn(body)) {
    if (data) {
      const binary = await carriedFile(item, data, ownName, PDF_TYPE);
      return [{ json: withoutFile(body, text) as IDataObject, binary }];
    }
    const binary = await madeFile(item, text, {
      message: 'The PDF was created, but could not be fetched',
      description: `The service said that it lies at ${shown(item, text)}.`,
    }).catch((error: unknown) => void (failure ??= error));
    if (binary && !isOther(binary)) return [{ json: body as IDataObject, binary }];
  }
  if (failure instanceof Error) throw failure;
  return outputs(body);
}

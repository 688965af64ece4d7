/** Files are sent as bytes and read as URLs, so a value that was read cannot be sent back. */
import { type FilePart, isBlank, isObject, parseList } from '../../service';
import { blankOnlyFilterSettings, type FieldKind, defineKind } from './kind';

const isFilePart = (value: unknown): value is FilePart & Record<string, unknown> =>
  isObject(value) && ArrayBuffer.isView(value.data);

/** Whether the service returned this value: URLs, paths, objects such as `{url, key, ext}` (evidence 10), or blanks. */
export const isServiceFile = (value: unknown): boolean =>
  [value]
    .flat()
    .every(
      (file) => (isObject(file) && !isFilePart(file)) || isBlank(file) || /^(https?:|\/)/.test(String(file)),
    );

/** A file is sent as a multipart part (spec: Field-type value formats). `n8n/files` reads its bytes. */
export const fileKind: FieldKind = defineKind({
  types: /^(file|attachment|upload)$/,
  example: '"data" (the name of the input\'s binary field), or "https://example.com/contract.pdf"',
  ...blankOnlyFilterSettings,
  holdsFiles: 'one',
  describeColumn: () => 'input binary field or URL',
  encode(value) {
    const parts = [value].flat().filter((part) => !isBlank(part));
    return parts.every(isFilePart) ? parts : undefined;
  },
  normalize: (value) => parseList(value).filter((address) => !isBlank(address)),
});

export const filesKind: FieldKind = defineKind({
  ...fileKind,
  types: /^(files|attachments|uploads|file multiple)/,
  holdsFiles: 'several',
  example: '"scan1, scan2" (the names of the input\'s binary fields), or "https://example.com/contract.pdf"',
  describeColumn: () => 'input binary fields or URLs',
});

/** The value is `{src, width, height, public_id}`. The API of the service cannot write an Image (evidence 10). */
export const imageKind: FieldKind = defineKind({ ...fileKind, types: /^image/ });

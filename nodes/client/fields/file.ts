import { isBlank, parseList } from '../input/values';
import type { FilePart } from './field';
import { createHintedColumn, createInvalidValueError, defineKind } from './kind';
import { blankOperators } from './operators';
import { textKind } from './text';

const isFilePart = (value: unknown): value is FilePart =>
  typeof value === 'object' && value !== null && 'data' in value && value.data instanceof Uint8Array;

/** Whether a value is what the service returns for a File column: addresses or nothing. */
const isAddress = (value: unknown): boolean =>
  [value].flat().every((url) => url === '' || url === null || /^(https?:|\/)/.test(String(url)));

/**
 * File: one multipart part for each file, named by the slug. The kit reads the bytes from the item's binary
 * fields or fetches them; a mapper column holds the name of such a field, or an address. `read` gives the addresses of the files, which
 * cannot be written back.
 */
export const fileKind = defineKind({
  types: /^(file|image|attachment|upload)/,
  example: '"data" (the name of the input\'s binary field), or "https://example.com/contract.pdf"',
  operators: blankOperators,
  isMatchable: false,
  holdsFiles: true,
  createColumns: (field) => createHintedColumn(field, 'input binary field or URL'),
  encode(value, field) {
    const parts = [value].flat().filter((part) => !isBlank(part));
    if (!parts.every(isFilePart)) throw createInvalidValueError(field, value, fileKind.example);
    return [[field.slug, parts]];
  },
  isWritable: (value) => !isAddress(value),
  // The symbolic filter form can compare any field with text.
  encodeOperand: textKind.encodeOperand,
  read: (value) => parseList(value).filter((address) => !isBlank(address)),
});

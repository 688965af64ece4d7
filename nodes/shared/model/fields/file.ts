import { misfit, oneColumn, type Codec, type FilePart } from './codec';

const isFilePart = (value: unknown): value is FilePart =>
  typeof value === 'object' && value !== null && 'data' in value && value.data instanceof Uint8Array;

/**
 * File: one multipart part per file, named by the slug. The kit has read the bytes from the item's binary
 * fields before; a mapper column holds the names of those fields.
 */
export const file: Codec = {
  example: '"data" (the name of the input\'s binary field)',
  columns: (field) => [{ ...oneColumn(field, 'string')[0]!, label: `${field.name} (Input Binary Field)` }],
  encode(value, field) {
    const parts = [value].flat().filter((one) => one !== null && one !== undefined && one !== '');
    if (!parts.every(isFilePart)) throw misfit(field, value, file.example);
    return [[field.slug, parts]];
  },
};

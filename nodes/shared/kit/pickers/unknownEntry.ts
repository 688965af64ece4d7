import { InputError } from '../../model/input/inputError';

/** The error for requested IDs that the service does not list. An empty result would hide the mistake. */
export const createUnknownEntryError = (noun: string, ids: string[]): InputError =>
  new InputError(
    `The service has no ${noun} with the ID ${ids.map((id) => JSON.stringify(id)).join(', ')}`,
    'Pick it from the list, or leave the field empty for all.',
  );

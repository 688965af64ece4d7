import { z } from 'zod';
import { isObject } from '../input/isObject';
import { objectSchema } from './schemas';

/** Spec: API status record. */
export const keyStatusSchema = z.object({ api_key: objectSchema }).passthrough();

/** Whether a flag is one of the usual words for "no". */
const isOff = (flag: unknown): boolean =>
  ['false', '0', 'no', 'off'].includes(String(flag).trim().toLowerCase());

/**
 * Returns the permissions of a key by their flags, or undefined if the status does not contain them. An
 * unclear flag counts as granted, so that no permission is reported as missing by mistake.
 */
export const parsePermissionFlags = ({ permissions }: Record<string, unknown>) =>
  isObject(permissions)
    ? Object.fromEntries(Object.entries(permissions).map(([name, flag]) => [name, !isOff(flag)]))
    : undefined;

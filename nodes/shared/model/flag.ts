import { InputError, shown } from './inputError';

const WORDS: Record<string, boolean> = {
  true: true,
  false: false,
  '1': true,
  '0': false,
  yes: true,
  no: false,
};

/** A switch as an expression may give it. @throws InputError for anything else: nothing found is neither */
export function flagOf(value: unknown, label: string): boolean {
  const flag = typeof value === 'boolean' ? value : WORDS[String(value).trim().toLowerCase()];
  if (flag !== undefined) return flag;
  throw new InputError(
    `${label} cannot be ${shown(value)}`,
    'Give true or false. An expression here may have found nothing.',
  );
}

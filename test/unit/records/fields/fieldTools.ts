import { omit } from 'lodash';
import type { Field } from '../../../../nodes/records';
import { listFormColumns } from '../../../../nodes/records';
import { KIND_NAMES, toField } from '../../../../nodes/records/fields/kinds';
import type { Operator } from '../../../../nodes/records/fields/operators';
import { InputError } from '../../../../nodes/service';

export { KIND_NAMES };

/** A field as a table has it. @param entry the field as the service describes it (spec: Field, full) */
export const parseField = toField;

/** A field with the slug `f` and the name "Label". */
export const createField = (type: string, more: object = {}) =>
  parseField({ slug: 'f', name: 'Label', type, ...more });

/** The columns of a field in a form. */
export const listColumns = (field: Field): object[] =>
  listFormColumns([field]).map((column) => omit(column, 'field', 'preset'));

/** 5:00 on 15 June in Tokyo, but still 14 June in UTC. */
export const TOKYO = { timeZone: 'Asia/Tokyo', now: new Date('2025-06-14T20:00:00Z') };

/** Names the operators that match a canonical value, in the order in which the form shows them. */
export const listMatching = (operators: Operator[], value: unknown, val = '', context = TOKYO): string[] =>
  operators.filter(({ matches }) => matches?.(value, val, context)).map(({ name }) => name);

/** Both texts of the error that a user sees. */
export function catchTexts(run: () => unknown): [message: string, description: string] {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    const { message, description } = error as InputError;
    return [message, description];
  }
  throw new Error('nothing was refused');
}

import type { IDataObject } from 'n8n-workflow';
import { type Output, toOutputs } from '../../../../shared/kit/operation/operation';
import { asObject, isObject } from '../../../../shared/model/input/isObject';

/** Adds the action to outputs under `_action`. No slug of the service starts with an underscore. */
export const withAction = (
  outputs: Output[],
  action: 'created' | 'found' | 'unchanged' | 'updated',
): Output[] => outputs.map(({ json }) => ({ json: { ...json, _action: action } }));

/** Returns the record in a response body with its equation log, or the whole body when it has no record. */
export function toRecordOutputs(body: unknown, otherwise: IDataObject = {}): Output[] {
  const { item, equationLog } = asObject(body);
  if (!isObject(item)) return toOutputs({ ...otherwise, ...asObject(body) });
  return toOutputs({ ...item, ...(equationLog !== undefined && { equationLog }) });
}

import type { IDataObject } from 'n8n-workflow';
import { simplifyEntry } from '../../model/responses/simplifyEntry';
import { isFailure, type ItemOperation } from './operation';
import { defineParameter } from './parameter';

const SIMPLIFY = {
  displayName: 'Simplify',
  name: 'simplify',
  type: 'boolean',
  default: true,
} as const;

/**
 * Creates the switch "Simplify", which n8n's own nodes have above the options.
 * @param description what the switch changes
 */
export const createSimplifyParameter = <const D extends boolean>(isOn: D, description: string) =>
  defineParameter({ ...SIMPLIFY, default: isOn, description });

const simplifyRun = createSimplifyParameter(
  true,
  'Whether to return a flat entry without empty values: the name in "dataTable" becomes "dataTable_name"',
);

/** Adds the switch "Simplify" to an operation that returns entries of a queue. It is on by default. */
export const withSimplifiedRuns = (operation: ItemOperation): ItemOperation => ({
  ...operation,
  parameters: [...(operation.parameters ?? []), simplifyRun],
  async run(item, mode) {
    const results = await operation.run(item, mode);
    if (!item.read(simplifyRun)) return results;
    return results.map((result) =>
      isFailure(result) ? result : { ...result, json: simplifyEntry(result.json) as IDataObject },
    );
  },
});

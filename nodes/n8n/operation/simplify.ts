/**
 * The switch Simplify: of records, of runs, and of other entries.
 */
import type { IDataObject } from 'n8n-workflow';
import { simplifyEntry } from '../../service';
import { defineParameter } from '../parameters/parameter';
import { type ItemOperation, isFailure } from './operation';

const SIMPLIFY = {
  displayName: 'Simplify',
  name: 'simplify',
  type: 'boolean',
  default: true,
  forTools: 'never',
} as const;

/**
 * Creates the switch "Simplify", which n8n's own nodes have above the options. It is on by default.
 * @param description what the switch changes
 */
export const createSimplifyParameter = (description: string) => defineParameter({ ...SIMPLIFY, description });

const simplifyRun = createSimplifyParameter(
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

/** The switch of the operations that read records. A simplified record can be written back. */
export const simplifyRecords = createSimplifyParameter(
  'Whether to return a connection as the text of its record, with its ID under "…_id", and Name, Address and Calendar as objects without their empty parts. Every field is returned either way, and can be written back.',
);

import { importPlan } from '../../client/jobs/runJob';
import { readWaitSettings, waitOptions, waitParameters } from '../../n8n/jobs/waitForm';
import type { createLocator } from '../../n8n/lists/listPicker';
import { type ItemOperation, toOutputs } from '../../n8n/operation/operation';
import { createOptions } from '../../n8n/parameters/parameter';
import { buildImportForm, importFormOptions, importSourceParameters } from './importForm';

/** What the items of both import operations make. */
export const IMPORTS = { noun: 'imports', remedy: 'Look at the imports with "Get Queue".' };

export const createRunImportOperation = (template: ReturnType<typeof createLocator>): ItemOperation => ({
  name: 'run',
  displayName: 'Run',
  action: 'Run import',
  description: 'Upload a file, import its rows as records, and optionally wait until the import has ended',
  writes: true,
  makes: IMPORTS,
  parameters: [
    template,
    ...importSourceParameters,
    ...waitParameters,
    createOptions(...importFormOptions, ...waitOptions),
  ],
  async run(item) {
    const wait = readWaitSettings(item);
    const importId = item.read(template);
    const form = await buildImportForm(item);
    const { imports, jobs } = item.client;
    if (!wait) return toOutputs(await imports.trigger(importId, form));
    const job = await imports.start(importId, form, item.noteStart);
    return toOutputs(await jobs.wait(importPlan, wait, job));
  },
});

import type { JobPlan } from '../../shared/kit/jobs/jobPlan';
import { startJob, startRun } from '../../shared/kit/jobs/startJob';
import { waitForCompletion } from '../../shared/kit/jobs/waitForCompletion';
import { createWaitParameters, readWaitSettings, waitOptions } from '../../shared/kit/jobs/waitForm';
import { type ItemOperation, toOutputs } from '../../shared/kit/operation/operation';
import { createOptions } from '../../shared/kit/operation/parameter';
import type { createLocator } from '../../shared/kit/pickers/listPicker';
import { importEndpoints } from '../../shared/model/endpoints/imports';
import { buildImportForm } from './buildImportForm';
import { importFormOptions, importSourceParameters } from './importForm';

const {
  trigger: triggerImport,
  getStatus: getImportStatus,
  getQueueEntry: getImportEntry,
  listQueue: listImportQueue,
} = importEndpoints;

/** The endpoints of an import run. */
export const importPlan: JobPlan = {
  noun: 'import',
  one: getImportStatus,
  others: [getImportEntry],
  idName: 'queueId',
  queue: { endpoint: listImportQueue, operation: 'Get Queue' },
  lookAgain: 'Get Status',
};

/** What the items of both import operations make. */
export const IMPORTS = { noun: 'imports', remedy: 'Look at the imports with "Get Queue".' };

export const createRunImportOperation = (template: ReturnType<typeof createLocator>): ItemOperation => ({
  name: 'run',
  displayName: 'Run',
  action: 'Run import',
  description: 'Upload a file, import its rows as records, and optionally wait until the import has ended',
  endpoints: [triggerImport, getImportStatus, getImportEntry, listImportQueue],
  makes: IMPORTS,
  parameters: [
    template,
    ...importSourceParameters,
    ...createWaitParameters(false),
    createOptions(...importFormOptions, ...waitOptions),
  ],
  async run(item) {
    const wait = readWaitSettings(item);
    const path = { importId: item.read(template) };
    const form = await buildImportForm(item);
    const start = async () => (await item.client.call(triggerImport, { path, body: form })).body;
    if (!wait) return toOutputs(await startRun(importPlan, start));
    return toOutputs(
      await waitForCompletion(item, importPlan, wait, await startJob(item, importPlan, start)),
    );
  },
});

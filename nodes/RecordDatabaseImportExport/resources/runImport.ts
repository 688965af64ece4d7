import { importEndpoints } from '../../client/endpoints/catalogue';
import type { JobPlan } from '../../client/jobs/jobState';
import { startJob, startRun, waitForCompletion } from '../../client/jobs/runJob';
import { readWaitSettings, waitOptions, waitParameters } from '../../n8n/jobs/waitForm';
import type { createLocator } from '../../n8n/lists/listPicker';
import { type ItemOperation, toOutputs } from '../../n8n/operation/operation';
import { createOptions } from '../../n8n/parameters/parameter';
import { buildImportForm, importFormOptions, importSourceParameters } from './importForm';

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
    const path = { importId: item.read(template) };
    const form = await buildImportForm(item);
    const start = async () => (await item.client.call(triggerImport, { path, body: form })).body;
    if (!wait) return toOutputs(await startRun(importPlan, start));
    return toOutputs(
      await waitForCompletion(
        item.client,
        importPlan,
        wait,
        await startJob(item.client, importPlan, start, item.noteStart),
      ),
    );
  },
});

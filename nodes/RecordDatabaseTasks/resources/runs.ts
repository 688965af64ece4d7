/** The resources Task and Automation, which have the same operations for runs. */
import { createWaitOptions, startRunAndWait, waitParameter } from '../../n8n/jobs/waitForm';
import { createLocator, MADE_IN_BUILDER_HINT } from '../../n8n/lists/listPicker';
import {
  type ItemOperation,
  type Resource,
  createCallOperation,
  createListOperation,
  toOutputs,
} from '../../n8n/operation/operation';
import { addSimplifyParameter } from '../../n8n/operation/simplify';
import { createOptions, defineParameter, showWhen } from '../../n8n/parameters/parameter';
import { automationEndpoints, type Endpoint, type ListResponse, readRun, taskEndpoints } from '../../service';

type RunEndpoints = Record<'terminateAll' | 'terminateExecution', Endpoint> &
  Record<'getActive' | 'getExecutions' | 'getHistory', Endpoint<ListResponse>>;

/** Tasks and automations have endpoints of the same pattern (spec: Automations). */
interface RunOperationSettings {
  noun: 'task' | 'automation';
  endpoints: RunEndpoints;
  /** Picks the task or automation. `locator.name` is also the name of the path parameter: `taskId`, `automationId`. */
  locator: ReturnType<typeof createLocator>;
}

function createRunOperations({ noun, endpoints, locator }: RunOperationSettings): ItemOperation[] {
  const title = noun === 'task' ? 'Task' : 'Automation';
  const article = noun === 'task' ? 'a' : 'an';
  const runLocator = createLocator(
    `${title}Runs`,
    'Run',
    `${noun}QueueId`,
    `The run to work with, newest first. Run and Get Runs return its ID as "${noun}_queue_id".`,
    { displayOptions: { show: { which: ['oneRun'] } } },
  );
  const runsToGetParameter = defineParameter({
    displayName: 'Runs',
    name: 'which',
    type: 'options',
    default: 'active',
    description: 'The runs to get',
    options: [
      { name: 'Active', value: 'active', description: `Runs of all ${noun}s that have not ended` },
      { name: 'Finished', value: 'finished', description: `Runs of all ${noun}s that have ended` },
      { name: `Of One ${title}`, value: 'ofOne', description: `Active and ended runs of one ${noun}` },
      { name: 'One Run', value: 'oneRun', description: 'The status and progress of one run' },
    ],
  });
  const runsToStopParameter = defineParameter({
    displayName: 'Runs',
    name: 'which',
    type: 'options',
    default: 'oneRun',
    description: 'The runs to stop',
    options: [
      { name: 'One Run', value: 'oneRun' },
      { name: `All Runs of ${article} ${title}`, value: 'allRuns' },
    ],
  });
  return [
    addSimplifyParameter({
      name: 'run',
      displayName: 'Run',
      action: `Run ${noun}`,
      description: `Start ${article} ${noun}, and optionally wait until it has ended`,
      writes: true,
      makes: { noun: `runs of the ${noun}`, remedy: 'Look at the runs with "Get Runs".' },
      parameters: [locator, waitParameter, createOptions(...createWaitOptions())],
      run: (item) => startRunAndWait(item, { kind: noun, id: item.read(locator) }),
    }),
    addSimplifyParameter({
      name: 'getRuns',
      displayName: 'Get Runs',
      action: `Get runs of ${noun}s`,
      description: `Get the runs of all ${noun}s or of one, or the status of one run`,
      parameters: [runsToGetParameter, showWhen(locator, { which: ['ofOne'] }), runLocator],
      async run(item) {
        const list = async (endpoint: Endpoint<ListResponse>, path = {}) =>
          toOutputs((await item.client.call(endpoint, { path })).body.items);
        const chosen = item.read(runsToGetParameter);
        if (chosen === 'active') return list(endpoints.getActive);
        if (chosen === 'finished') return list(endpoints.getHistory);
        if (chosen === 'oneRun') return toOutputs(await readRun(item.client, noun, item.read(runLocator)));
        return list(endpoints.getExecutions, { [locator.name]: item.read(locator) });
      },
    }),
    createCallOperation({
      name: 'stop',
      displayName: 'Stop',
      action: `Stop runs of ${noun}`,
      description: `Stop one run, or all runs of one ${noun}`,
      writes: true,
      endpoint: (item) =>
        item.read(runsToStopParameter) === 'oneRun' ? endpoints.terminateExecution : endpoints.terminateAll,
      parameters: [runsToStopParameter, runLocator, showWhen(locator, { which: ['allRuns'] })],
    }),
  ];
}

/** Spec: Tasks. */
export const task: Resource = {
  name: 'task',
  displayName: 'Task',
  operations: [
    createListOperation({
      action: 'Get many tasks',
      description: 'Get all tasks of the application, with their schedule',
      endpoint: taskEndpoints.list,
    }),
    ...createRunOperations({
      noun: 'task',
      endpoints: taskEndpoints,
      locator: createLocator('Tasks', 'Task', 'taskId', 'The task to work with', {
        hint: MADE_IN_BUILDER_HINT,
      }),
    }),
  ],
};

/** Spec: Automations. No endpoint lists automations, so the dropdown lists those that have run. */
export const automation: Resource = {
  name: 'automation',
  displayName: 'Automation',
  operations: createRunOperations({
    noun: 'automation',
    endpoints: automationEndpoints,
    locator: createLocator('Automations', 'Automation', 'automationId', 'The automation to work with', {
      hint: `${MADE_IN_BUILDER_HINT}. The list has those that have run. For others, choose By ID.`,
    }),
  }),
};

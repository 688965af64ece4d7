import type { INodeProperties } from 'n8n-workflow';
import { locator } from '../../shared/kit/listPicker';
import { callOperation, outputs, type Operation } from '../../shared/kit/operation';
import { finalEntry } from '../../shared/kit/waitForCompletion';
import { waitOf, waitOptions, waitParameter } from '../../shared/kit/waitForm';
import { unanswered, v1 } from '../../shared/model/endpoint';
import { isDoneBefore } from '../../shared/transport/errors';
import { getExecution } from './getExecution';

/** What tasks and automations differ in (spec: Automations, "same pattern as tasks"). */
export interface Runnable {
  noun: 'task' | 'automation';
  /** Locator of the definition; its name is the path parameter, `taskId` or `automationId`. */
  definition: INodeProperties;
}

/** The seven operations that tasks and automations share. */
export function executionOperations({ noun, definition }: Runnable): Operation[] {
  const path = `/${noun}s` as const;
  const list = `${noun}s`;
  const queueName = `${noun}QueueId`;
  const one = v1(`GET ${path}/status/queue/{${queueName}}`);
  const history = v1(`GET ${path}/history`);
  const terminate = unanswered(v1(`POST ${path}/terminate/queue/{${queueName}}`, 'idempotent'));
  const article = noun === 'task' ? 'a task' : 'an automation';
  const queueId = locator(
    noun === 'task' ? 'TaskExecutions' : 'AutomationExecutions',
    'Execution',
    queueName,
    `One execution, newest first; its ID is what Run and Get Active Executions return under "${noun}_queue_id"`,
  );
  const start = v1(`POST ${path}/run/{${noun}Id}`, 'once');
  const startRun = noun === 'automation' ? unanswered(start) : start;

  const run: Operation = {
    name: 'run',
    displayName: 'Run',
    action: `Run ${article}`,
    description: `Start ${article}, and wait for its end if wanted`,
    endpoints: [startRun, one, history],
    parameters: [
      definition,
      waitParameter,
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add Option',
        default: {},
        displayOptions: { show: { wait: [true] } },
        options: waitOptions,
      },
    ],
    async run(item) {
      const id = item.id(`${noun}Id`);
      const wait = waitOf(item);
      const { body } = await item.client.call(startRun, { path: { [`${noun}Id`]: id } });
      if (!wait) return outputs(body);
      const plan = { noun, one, idName: queueName, ended: history, lookAgain: 'Get Execution' };
      return outputs(await finalEntry(item, plan, wait, body));
    },
  };

  return [
    run,
    callOperation({
      name: 'getActive',
      displayName: 'Get Active Executions',
      action: `Get active executions of ${list}`,
      description: `Get the executions of all ${list} that are under way`,
      endpoint: v1(`GET ${path}/status`),
      items: list,
    }),
    getExecution({ noun, one, history, queueId }),
    callOperation({
      name: 'getExecutions',
      displayName: 'Get Executions',
      action: `Get the executions of ${article}`,
      description: `Get all executions of one ${noun}`,
      endpoint: v1(`GET ${path}/status/${noun}/{${noun}Id}`),
      items: list,
      parameters: [definition],
    }),
    callOperation({
      name: 'getHistory',
      displayName: 'Get History',
      action: `Get ended executions of ${list}`,
      description: `Get the executions of all ${list} that have ended`,
      endpoint: history,
      items: list,
    }),
    callOperation({
      name: 'terminateAll',
      displayName: 'Terminate All Executions',
      action: `Terminate all executions of ${article}`,
      description: `Stop every execution of one ${noun}`,
      endpoint: unanswered(v1(`POST ${path}/terminate/${noun}/{${noun}Id}`, 'idempotent')),
      parameters: [definition],
    }),
    {
      name: 'terminateExecution',
      displayName: 'Terminate Execution',
      action: `Terminate an execution of ${article}`,
      description: 'Stop one execution',
      endpoints: [terminate],
      parameters: [queueId],
      async run(item) {
        const call = item.client.call(terminate, { path: { [queueName]: item.id(queueName) } });
        const { body } = await call.catch((error: unknown) => {
          if (isDoneBefore(error)) return { body: {} };
          throw error;
        });
        return outputs(body);
      },
    },
  ];
}

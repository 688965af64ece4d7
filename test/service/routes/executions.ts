import { type Call, defineRoute } from '../http/route';
import type { Application } from '../state/application';
import type { Execution, ExecutionRunner } from '../state/executions';
import { formatTimestamp } from '../state/time';
import { createSuccess } from './common';

type Noun = 'task' | 'automation';

/**
 * The seven routes of tasks and of automations ("same pattern as tasks"). The answers of automations,
 * histories and terminations are "not shown"; here they are like those of tasks.
 */
export function createExecutionRoutes(noun: Noun, getRunner: (call: Pick<Call, 'app'>) => ExecutionRunner) {
  const getWord = ({ options }: Application) => (noun === 'task' ? noun : options.automationWord);
  const formatList = (executions: Execution[], app: Application) =>
    createSuccess({
      [`total_${getWord(app)}s`]: executions.length,
      [`${getWord(app)}s`]: executions.map((each) => formatExecution(each, getWord(app), app)),
    });
  const getDefinitionId = ({ params }: Call) => params[`${noun}Id`];
  const getQueueId = ({ params }: Call) => params[`${noun}QueueId`];

  return {
    run: defineRoute({
      permission: 'allow_task',
      handle: (call) => {
        const { queueId: id } = getRunner(call).run(getDefinitionId(call) ?? '');
        return createSuccess({ [`${getWord(call.app)}_queue_id`]: id, msg: `The ${noun} has started` });
      },
    }),
    active: defineRoute({ handle: (call) => formatList(getRunner(call).list({ active: true }), call.app) }),
    history: defineRoute({ handle: (call) => formatList(getRunner(call).list({ active: false }), call.app) }),
    one: defineRoute({
      handle: (call) => {
        const execution = getRunner(call).getExecution(getQueueId(call));
        const hidden = execution.status !== 'running' && call.app.options.finishedExecutions === 'hidden';
        return formatList(hidden ? [] : [execution], call.app);
      },
    }),
    ofDefinition: defineRoute({
      handle: (call) => formatList(getRunner(call).listByDefinition(getDefinitionId(call)), call.app),
    }),
    terminateOne: defineRoute({
      permission: 'allow_task',
      handle: (call) => {
        const runner = getRunner(call);
        runner.terminate([runner.getExecution(getQueueId(call))]);
        return createSuccess({ msg: `The ${noun} was terminated` });
      },
    }),
    terminateAll: defineRoute({
      permission: 'allow_task',
      handle: (call) => {
        const runner = getRunner(call);
        runner.terminate(runner.listByDefinition(getDefinitionId(call)));
        return createSuccess({ msg: `All executions of the ${noun} were terminated` });
      },
    }),
  };
}

/** Spec: Task queue entry. */
function formatExecution(
  { queueId, definitionId, totalRecords, job, status }: Execution,
  word: Noun,
  { options }: Application,
) {
  const { executionRunning, executionEnded, executionTerminated } = options.statusWords;
  return {
    [`${word}_queue_id`]: queueId,
    [`${word}_id`]: definitionId,
    total_records: totalRecords,
    total_record_proceed: Math.floor(totalRecords * job.fraction),
    start_at: formatTimestamp(job.startedAt, options.timeZone),
    ...(job.endedAt !== undefined && { end_at: formatTimestamp(job.endedAt, options.timeZone) }),
    run_type: 'API',
    status: { running: executionRunning, ended: executionEnded, terminated: executionTerminated }[status],
  };
}

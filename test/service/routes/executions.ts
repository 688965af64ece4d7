import { route, type Call } from '../http/route';
import type { Execution, Runner } from '../state/executions';
import { timestamp } from '../state/time';
import { success } from './common';

type Noun = 'task' | 'automation';

/**
 * The seven routes tasks and automations share ("same pattern as tasks"). Bodies of the automation
 * endpoints, histories and terminations are "not shown"; they follow the tasks' here.
 */
export function executionRoutes(noun: Noun, runnerOf: (call: Pick<Call, 'app'>) => Runner) {
  const shown = (executions: Execution[]) =>
    success({
      [`total_${noun}s`]: executions.length,
      [`${noun}s`]: executions.map((each) => entry(each, noun)),
    });
  const definitionId = ({ params }: Call) => params[`${noun}Id`];
  const queueId = ({ params }: Call) => params[`${noun}QueueId`];

  return {
    run: route({
      permission: 'allow_task',
      handle: (call) => {
        const { queueId: id } = runnerOf(call).run(definitionId(call) ?? '');
        return success({ [`${noun}_queue_id`]: id, msg: `The ${noun} has started` });
      },
    }),
    active: route({ handle: (call) => shown(runnerOf(call).list({ active: true })) }),
    history: route({ handle: (call) => shown(runnerOf(call).list({ active: false })) }),
    one: route({
      handle: (call) => {
        const execution = runnerOf(call).one(queueId(call));
        const hidden = execution.status !== 'start' && call.app.options.finishedExecutions === 'hidden';
        return shown(hidden ? [] : [execution]);
      },
    }),
    ofDefinition: route({ handle: (call) => shown(runnerOf(call).of(definitionId(call))) }),
    terminateOne: route({
      permission: 'allow_task',
      handle: (call) => {
        const runner = runnerOf(call);
        runner.terminate([runner.one(queueId(call))]);
        return success({ msg: `The ${noun} was terminated` });
      },
    }),
    terminateAll: route({
      permission: 'allow_task',
      handle: (call) => {
        const runner = runnerOf(call);
        runner.terminate(runner.of(definitionId(call)));
        return success({ msg: `All executions of the ${noun} were terminated` });
      },
    }),
  };
}

/** Spec: Task queue entry. */
function entry({ queueId, definitionId, totalRecords, job, status }: Execution, noun: Noun) {
  return {
    [`${noun}_queue_id`]: queueId,
    [`${noun}_id`]: definitionId,
    total_records: totalRecords,
    total_record_proceed: Math.floor(totalRecords * job.fraction),
    start_at: timestamp(job.startedAt),
    ...(job.endedAt !== undefined && { end_at: timestamp(job.endedAt) }),
    run_type: 'API',
    status,
  };
}

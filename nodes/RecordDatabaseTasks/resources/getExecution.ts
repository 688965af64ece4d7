import type { INodeProperties } from 'n8n-workflow';
import { askFor, endedRun } from '../../shared/kit/findRun';
import { outputs, type Operation } from '../../shared/kit/operation';
import type { Endpoint } from '../../shared/model/endpoint';
import { entryIn } from '../../shared/model/completion';
import { itemIn } from '../../shared/model/envelope';
import { listIn } from '../../shared/model/responses';
import { ApiFailure } from '../../shared/transport/errors';

/** A proxy's 404 does not mean that there is no such run, and that it may be started again. */
const isGone = ({ status, byService }: ApiFailure): boolean => status === 404 && byService;

interface Execution {
  noun: 'task' | 'automation';
  /** Shows the one execution; the spec does not say for how long after its end. */
  one: Endpoint;
  history: Endpoint;
  /** Its name is the path parameter of `one`. */
  queueId: INodeProperties;
}

/** One execution, from the history where its own address shows it no more. */
export const getExecution = ({ noun, one, history, queueId }: Execution): Operation => ({
  name: 'getExecution',
  displayName: 'Get Execution',
  action: `Get an execution of ${noun === 'task' ? 'a task' : 'an automation'}`,
  description: 'Get one execution, under way or ended: its status and progress',
  endpoints: [one, history],
  parameters: [queueId],
  async run(item) {
    const id = item.id(queueId.name);
    const body = await askFor(item, one, { path: { [queueId.name]: id } }, isGone);
    const entry = entryIn(body, id, true);
    if (entry) return outputs(entry);
    const shown = listIn(body, `${noun}s`) ?? (body === undefined ? [] : [itemIn(body)]);
    if (shown.length > 0) return outputs(shown);
    const ended = await endedRun(item, history, id);
    if (ended) return outputs(ended);
    throw new ApiFailure({
      message: `The service shows no execution ${id}, neither under way nor ended`,
      description: `Pick it from the list, or give the ID that Run returned under "${noun}_queue_id": the ID of the ${noun} itself is another. The history may no longer hold an old one.`,
    });
  },
});

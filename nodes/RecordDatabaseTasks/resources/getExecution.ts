import type { Endpoint } from '../../client/endpoints/endpoint';
import { ApiError } from '../../client/errors/apiError';
import { findJobEntry } from '../../client/jobs/jobState';
import { findList, unwrapItem } from '../../client/responses/schemas';
import type { createLocator } from '../../n8n/lists/listPicker';
import { type ItemOperation, toOutputs } from '../../n8n/operation/operation';

/** Whether the service itself answered 404. A 404 of a proxy does not mean that the execution does not exist. */
const isUnknownExecution = ({ status, isFromService: byService }: ApiError): boolean =>
  status === 404 && byService;

interface GetExecutionOptions {
  noun: 'task' | 'automation';
  /** Endpoint that returns one execution. The spec does not define how long an ended execution remains available. */
  one: Endpoint;
  history: Endpoint;
  /** Locator of the execution. Its name is the path parameter of `one`. */
  queueId: ReturnType<typeof createLocator>;
}

/** Creates the operation that returns one execution: from its own endpoint, or from the history if that fails. */
export const createGetExecutionOperation = ({
  noun,
  one,
  history,
  queueId,
}: GetExecutionOptions): ItemOperation => ({
  name: 'getExecution',
  displayName: 'Get Execution',
  action: `Get execution of ${noun}`,
  description: 'Get the status and progress of one running or ended execution',
  parameters: [queueId],
  async run(item) {
    const id = item.read(queueId);
    const body = await item.client.jobs.read(one, { path: { [queueId.name]: id } }, isUnknownExecution);
    const entry = findJobEntry(body, id, true);
    if (entry) return toOutputs(entry);
    const shown = findList(body, `${noun}s`) ?? (body === undefined ? [] : [unwrapItem(body)]);
    if (shown.length > 0) return toOutputs(shown);
    const ended = await item.client.jobs.findListed(history, id);
    if (ended) return toOutputs(ended);
    throw new ApiError({
      message: `The service has no running or ended execution with the ID ${id}`,
      description: `Pick it from the list, or give the "${noun}_queue_id" that Run returned, which differs from the ID of the ${noun}. The service may have deleted an old execution.`,
    });
  },
});

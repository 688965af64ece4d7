import type { Endpoint } from '../../model/endpoints/endpoint';
import type { JobEntry } from '../../model/responses/jobState';

/** The endpoints that return the runs of a task, an automation, an import or an export. */
export interface JobPlan {
  /** Name of the job in error messages, such as "task" or "import". */
  noun: string;
  /** Returns one run. */
  one: Endpoint;
  /** Further endpoints that return one run, called in order if `one` does not return it. */
  others?: Endpoint[];
  /** Name of the path parameter that holds the queue ID. */
  idName: string;
  /** Lists the runs that have not ended (spec: Tasks, "active executions"). */
  active?: Endpoint;
  /** Lists the runs that have ended (spec: Tasks, "completed executions"). */
  ended?: Endpoint;
  /** Lists the runs of this definition. */
  queue: {
    endpoint: Endpoint;
    path?: Record<string, string>;
    /** False for an entry that belongs to another definition. */
    isOwn?: (entry: JobEntry) => boolean;
    /** Display name of the operation that returns this list. */
    operation: string;
  };
  /** Display name of the operation that returns one run. */
  lookAgain: string;
}

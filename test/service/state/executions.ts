import { notFound } from '../http/errors';
import type { Application } from './application';
import type { Job } from './jobs';

/** A task or automation as the builder set it up. */
export interface Definition {
  id: string;
  name: string;
  tableId: string;
  occurrence: string;
  type: string;
}

/** One run. The spec shows the status `start` alone; the two ends are named here. */
export interface Execution {
  queueId: string;
  definitionId: string;
  totalRecords: number;
  job: Job;
  status: 'start' | 'complete' | 'terminated';
}

/** Runs of one kind of definition: started over the API, ended by time or by termination. */
export class Runner {
  readonly definitions: Definition[] = [];
  readonly executions: Execution[] = [];

  constructor(
    private readonly app: Application,
    private readonly noun: 'Task' | 'Automation',
  ) {}

  run(definitionId: string): Execution {
    const { id, tableId } = this.definition(definitionId);
    const execution: Execution = {
      queueId: this.app.ids.next(),
      definitionId: id,
      totalRecords: this.app.table(tableId)?.records.size ?? 0,
      job: this.app.jobs.start((fraction) => {
        if (fraction === 1) execution.status = 'complete';
      }),
      status: 'start',
    };
    this.executions.push(execution);
    return execution;
  }

  definition(id: string | undefined): Definition {
    const found = this.definitions.find((definition) => definition.id === id);
    if (!found) throw notFound(this.noun);
    return found;
  }

  /** Active ones, or those that have ended. */
  list({ active }: { active: boolean }): Execution[] {
    return this.executions.filter(({ status }) => (status === 'start') === active);
  }

  of(definitionId: string | undefined): Execution[] {
    const { id } = this.definition(definitionId);
    return this.executions.filter((execution) => execution.definitionId === id);
  }

  one(queueId: string | undefined): Execution {
    const found = this.executions.find((execution) => execution.queueId === queueId);
    if (!found) throw notFound(`${this.noun} Queue`);
    return found;
  }

  terminate(executions: Execution[]): void {
    for (const execution of executions.filter(({ status }) => status === 'start')) {
      execution.job.stop();
      execution.status = 'terminated';
    }
  }
}

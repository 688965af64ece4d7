import { createNotFoundError } from '../http/errors';
import type { Application } from './application';
import type { Job } from './jobs';

/** A task or automation. */
export interface Definition {
  id: string;
  name: string;
  tableId: string;
  occurrence: string;
  type: string;
}

/** One run. */
export interface Execution {
  queueId: string;
  definitionId: string;
  totalRecords: number;
  job: Job;
  status: 'running' | 'ended' | 'terminated';
}

/** Executions of tasks, or of automations. Each ends after `jobMs` or when it is terminated. */
export class ExecutionRunner {
  readonly definitions: Definition[] = [];
  readonly executions: Execution[] = [];

  constructor(
    private readonly app: Application,
    private readonly noun: 'Task' | 'Automation',
  ) {}

  run(definitionId: string): Execution {
    const { id, tableId } = this.getDefinition(definitionId);
    const execution: Execution = {
      queueId: this.app.ids.next(),
      definitionId: id,
      totalRecords: this.app.findTable(tableId)?.records.size ?? 0,
      job: this.app.jobs.start((fraction) => {
        if (fraction === 1) execution.status = 'ended';
      }),
      status: 'running',
    };
    this.executions.push(execution);
    return execution;
  }

  getDefinition(id: string | undefined): Definition {
    const found = this.definitions.find((definition) => definition.id === id);
    if (!found) throw createNotFoundError(this.noun);
    return found;
  }

  /** Executions that are running, or those that are not. */
  list({ active }: { active: boolean }): Execution[] {
    return this.executions.filter(({ status }) => (status === 'running') === active);
  }

  listByDefinition(definitionId: string | undefined): Execution[] {
    const { id } = this.getDefinition(definitionId);
    return this.executions.filter((execution) => execution.definitionId === id);
  }

  getExecution(queueId: string | undefined): Execution {
    const found = this.executions.find((execution) => execution.queueId === queueId);
    if (!found) throw createNotFoundError(`${this.noun} Queue`);
    return found;
  }

  terminate(executions: Execution[]): void {
    for (const execution of executions.filter(({ status }) => status === 'running')) {
      execution.job.stop();
      execution.status = 'terminated';
    }
  }
}

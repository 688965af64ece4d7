import '../environment';
import { PollContext } from 'n8n-core';
import type { INode, INodeExecutionData, Workflow, WorkflowActivateMode } from 'n8n-workflow';
import { createAdditionalData } from '../additionalData';
import type { Runtime } from '../runtime';
import { createPoll } from './createPoll';

/** What n8n's server does with the results of polls. */
interface PollSink {
  /** Saves the static data of the workflow and starts an execution. */
  emit: (workflow: Workflow, node: INode, data: INodeExecutionData[][]) => void;
  /** Records a failed execution. */
  emitError: (node: INode, error: Error) => void;
}

/** A polling node of a published workflow. n8n keeps one `Workflow` with its static data for all polls. */
export class Poller {
  private isActive = true;
  private readonly execute: (isFirst?: boolean) => Promise<void>;

  constructor(
    runtime: Runtime,
    workflow: Workflow,
    node: INode,
    activation: WorkflowActivateMode,
    sink: PollSink,
  ) {
    const additionalData = createAdditionalData(runtime, { workflowId: workflow.id });
    const context = new PollContext(
      workflow,
      node,
      additionalData,
      'trigger',
      activation,
      (data) => sink.emit(workflow, node, data),
      (error) => sink.emitError(node, error),
      undefined,
      undefined,
      undefined,
      () => runtime.pollBudgetMs,
    );
    this.execute = createPoll(workflow, node, context, () => this.isActive);
  }

  /** Runs the first poll, as n8n does when it activates a workflow. @throws the error of the poll */
  async start() {
    await this.execute(true);
  }

  /** Runs one poll. An error becomes a failed execution. */
  async poll() {
    await this.execute();
  }

  stop() {
    this.isActive = false;
  }
}

/** The polling nodes of a workflow that are not disabled. */
export const listPollNodes = (workflow: Workflow): INode[] => workflow.getPollNodes();

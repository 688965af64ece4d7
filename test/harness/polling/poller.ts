/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import '../environment';
import { AsyncLocalStorage } from 'node:async_hooks';
import { PollContext } from 'n8n-core';
import type { IDataObject, INode, INodeExecutionData, Workflow, WorkflowActivateMode } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';
import { createAdditionalData } from '../additionalData';
import type { Runtime } from '../runtime';
import { createPoll } from './createPoll';

/** n8n's table of the static data of polling nodes, by the IDs of the nodes, if durable cursors are on. */
export type Cursors = Map<string, IDataObject>;

/** What n8n's server does with the results of polls. */
interface PollSink {
  /** Saves the static data of the workflow and starts an execution. */
  emit: (workflow: Workflow, node: INode, data: INodeExecutionData[][]) => void;
  /** Records a failed execution. */
  emitError: (node: INode, error: Error) => void;
}

/**
 * Creates the functions by which n8n's server gives each poll a copy of the node's cursor, and saves the copy with the
 * execution, or after a poll that returned nothing: `TriggerExecutionContextFactory` of n8n 2.40.
 */
function stageCursor(cursors: Cursors, workflow: Workflow, node: INode) {
  const staged = new AsyncLocalStorage<IDataObject>();
  const commit = () => {
    const cursor = staged.getStore();
    if (cursor) cursors.set(node.id, deepCopy(cursor));
  };
  const runPoll = async <T>(poll: () => Promise<T>): Promise<T> => {
    if (!cursors.has(node.id)) cursors.set(node.id, deepCopy(workflow.getStaticData('node', node)));
    return await staged.run(deepCopy(cursors.get(node.id)!), poll);
  };
  const read = (): IDataObject => {
    const cursor = staged.getStore();
    if (!cursor) throw new Error('Poll node read its static data outside of a poll');
    return cursor;
  };
  return { commit, runPoll, read };
}

/** A polling node of a published workflow. */
export class Poller {
  private isActive = true;
  private kept?: ReturnType<typeof createPoll>;

  /**
   * @param loadWorkflow n8n keeps one `Workflow` with its static data for all polls. With durable cursors, it loads the
   *   workflow for each poll after the first
   * @param cursors set if durable cursors are on
   */
  constructor(
    private readonly runtime: Runtime,
    private readonly node: INode,
    private readonly loadWorkflow: () => Workflow,
    private readonly activation: WorkflowActivateMode,
    private readonly sink: PollSink,
    private readonly cursors?: Cursors,
  ) {}

  /**
   * Runs the first poll, as n8n does when it publishes a workflow and, without jobs, when it starts.
   * @throws the error of the poll
   */
  async start() {
    await this.getPoll(this.activation)(true);
  }

  /** Runs one poll. An error becomes a failed execution. */
  async poll() {
    await this.getPoll('update')();
  }

  /**
   * n8n keeps the context of the first poll, with its activation mode, for all polls of a process. A job has its own.
   */
  private getPoll(activation: WorkflowActivateMode) {
    if (this.runtime.pollJobs) return this.createPoll(activation);
    return (this.kept ??= this.createPoll(this.activation));
  }

  stop() {
    this.isActive = false;
  }

  private createPoll(activation: WorkflowActivateMode) {
    const { runtime, node, sink, cursors } = this;
    const workflow = this.loadWorkflow();
    const cursor = cursors && stageCursor(cursors, workflow, node);
    const context = new PollContext(
      workflow,
      node,
      createAdditionalData(runtime, { workflowId: workflow.id }),
      'trigger',
      activation,
      (data) => {
        cursor?.commit();
        sink.emit(workflow, node, data);
      },
      (error) => sink.emitError(node, error),
      cursor && (async () => cursor.commit()),
      cursor?.runPoll,
      cursor?.read,
      () => runtime.pollBudgetMs,
    );
    return createPoll(workflow, node, context, () => this.isActive);
  }
}

/** The polling nodes of a workflow that are not disabled. */
export const listPollNodes = (workflow: Workflow): INode[] => workflow.getPollNodes();

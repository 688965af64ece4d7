import '../environment';
import type {
  ExecutionError,
  ExecutionStatus,
  IDataObject,
  INodeExecutionData,
  IRun,
  ITaskData,
  NodeExecutionHint,
} from 'n8n-workflow';
import { getBinaryDataService } from '../platform';
import type { StoredWorkflow } from '../workflows';

export interface UiMessage {
  source: string;
  messages: unknown[];
}

/** The outcome of one execution. */
export class Run {
  constructor(
    readonly id: string,
    /** n8n's own record of the execution. */
    readonly data: IRun,
    /** Messages of `sendMessageToUI` (manual mode only, as in n8n). */
    readonly uiMessages: UiMessage[],
    readonly workflow: StoredWorkflow,
  ) {}

  get status(): ExecutionStatus {
    return this.data.status;
  }

  /** The error that stopped the execution. A plain object: n8n flattens it before storing it. */
  get error(): ExecutionError | undefined {
    return this.data.data.resultData.error;
  }

  /** Names of the nodes that ran, in order of their first run. */
  get executedNodes(): string[] {
    const getFirstRunIndex = (name: string) => this.getTasks(name)[0]?.executionIndex ?? 0;
    return Object.keys(this.data.data.resultData.runData).sort(
      (a, b) => getFirstRunIndex(a) - getFirstRunIndex(b),
    );
  }

  /** n8n's record of each run of a node; empty when it did not run. */
  getTasks(nodeName: string): ITaskData[] {
    const names = this.workflow.nodes.map(({ name }) => name);
    if (!names.includes(nodeName)) {
      throw new Error(`The workflow has no node "${nodeName}", only: ${names.join(', ')}`);
    }
    return this.data.data.resultData.runData[nodeName] ?? [];
  }

  /** The items of one output, those of all runs of the node in a row (a node in a loop runs often). */
  getItems(nodeName: string, outputIndex = 0): INodeExecutionData[] {
    return this.getTasks(nodeName).flatMap((task) => task.data?.main?.[outputIndex] ?? []);
  }

  getJson(nodeName: string, outputIndex = 0): IDataObject[] {
    return this.getItems(nodeName, outputIndex).map(({ json }) => json);
  }

  /** The error of a node, also when the workflow continued after it. */
  getError(nodeName: string): ExecutionError | undefined {
    return this.getTasks(nodeName).find(({ error }) => error)?.error;
  }

  getHints(nodeName: string): NodeExecutionHint[] {
    return this.getTasks(nodeName).flatMap((task) => task.hints ?? []);
  }

  async readBinary(item: INodeExecutionData | undefined, property = 'data'): Promise<Buffer> {
    const binary = item?.binary?.[property];
    if (!binary) throw new Error(`The item has no binary property "${property}"`);
    return await getBinaryDataService().getAsBuffer(binary);
  }
}

import './environment';
import type {
  ExecutionError,
  ExecutionStatus,
  IDataObject,
  INodeExecutionData,
  IRun,
  ITaskData,
  NodeExecutionHint,
} from 'n8n-workflow';
import { binaryDataService } from './platform';

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
    /** What nodes said with `sendMessageToUI` (manual mode only, as in n8n). */
    readonly uiMessages: UiMessage[],
    private readonly nodeNames: string[],
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
    const firstRun = (name: string) => this.tasksOf(name)[0]?.executionIndex ?? 0;
    return Object.keys(this.data.data.resultData.runData).sort((a, b) => firstRun(a) - firstRun(b));
  }

  /** n8n's record of each run of a node; empty when it did not run. */
  tasksOf(nodeName: string): ITaskData[] {
    if (!this.nodeNames.includes(nodeName)) {
      throw new Error(`The workflow has no node "${nodeName}", only: ${this.nodeNames.join(', ')}`);
    }
    return this.data.data.resultData.runData[nodeName] ?? [];
  }

  /** The items of one output, those of all runs of the node in a row (a node in a loop runs often). */
  itemsOf(nodeName: string, outputIndex = 0): INodeExecutionData[] {
    return this.tasksOf(nodeName).flatMap((task) => task.data?.main?.[outputIndex] ?? []);
  }

  jsonOf(nodeName: string, outputIndex = 0): IDataObject[] {
    return this.itemsOf(nodeName, outputIndex).map(({ json }) => json);
  }

  /** The error of a node, also where the workflow went on after it. */
  errorOf(nodeName: string): ExecutionError | undefined {
    return this.tasksOf(nodeName).find(({ error }) => error)?.error;
  }

  hints(nodeName: string): NodeExecutionHint[] {
    return this.tasksOf(nodeName).flatMap((task) => task.hints ?? []);
  }

  async binaryOf(item: INodeExecutionData | undefined, property = 'data'): Promise<Buffer> {
    const binary = item?.binary?.[property];
    if (!binary) throw new Error(`The item has no binary property "${property}"`);
    return await binaryDataService().getAsBuffer(binary);
  }
}

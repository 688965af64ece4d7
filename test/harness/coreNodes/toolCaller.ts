import type { IDataObject, IExecuteFunctions, INodeProperties, INodeType } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { describeNode } from './describeNode';

const { AiTool, Main } = NodeConnectionTypes;

/** The part of a LangChain tool that an agent calls. */
interface Tool {
  name: string;
  description: string;
  func(toolArguments: IDataObject): Promise<string>;
}

const callTool = async ({ name, description, func }: Tool, toolArguments: IDataObject) => {
  const tool = { name, description };
  try {
    return { ...tool, answer: await func(toolArguments) };
  } catch (error) {
    return { ...tool, error: (error as Error).message };
  }
};

const hasSignal: INodeProperties = {
  displayName: 'Has Cancel Signal',
  name: 'hasSignal',
  type: 'boolean',
  default: true,
};

/** n8n's MCP Server Trigger is a webhook: its context has no signal, so its tools have none either. */
const withoutSignal = (context: IExecuteFunctions): IExecuteFunctions =>
  Object.create(context, { abortSignal: { value: undefined } }) as IExecuteFunctions;

/**
 * A stand-in for an AI agent. It calls its only tool once for each input item, with the item as the arguments, and
 * returns what the model would see: the answer or the message of the error. Like n8n's agent, it does not check
 * the arguments against the schema of the tool.
 */
export const toolCaller: INodeType = {
  description: describeNode('toolCaller', 1, [hasSignal], { inputs: [Main, AiTool] }),
  async execute(this: IExecuteFunctions) {
    const context = this.getNodeParameter('hasSignal', 0) === true ? this : withoutSignal(this);
    const [tool] = (await context.getInputConnectionData(AiTool, 0)) as [Tool];
    const outputs = [];
    for (const { json } of this.getInputData()) outputs.push({ json: await callTool(tool, json) });
    return [outputs];
  },
};

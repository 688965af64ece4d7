import type { IDataObject, IExecuteFunctions, INodeType } from 'n8n-workflow';
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

/**
 * A stand-in for an AI agent. It calls its only tool once for each input item, with the item as the arguments, and
 * returns what the model would see: the answer or the message of the error. Like n8n's agent, it does not check
 * the arguments against the schema of the tool.
 */
export const toolCaller: INodeType = {
  description: describeNode('toolCaller', 1, [], { inputs: [Main, AiTool] }),
  async execute(this: IExecuteFunctions) {
    const [tool] = (await this.getInputConnectionData(AiTool, 0)) as [Tool];
    const outputs = [];
    for (const { json } of this.getInputData()) outputs.push({ json: await callTool(tool, json) });
    return [outputs];
  },
};

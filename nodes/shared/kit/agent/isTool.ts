import type { IExecuteFunctions, INode } from 'n8n-workflow';

/** Whether a node has the type under which n8n runs it as a tool: `recordDatabaseTool`. */
export const isToolNode = ({ type }: INode): boolean => String(type).endsWith('Tool');

/**
 * Whether the node runs as a tool of an AI agent or of an MCP server. n8n's newer agents run a tool as a node of the
 * workflow, for which `isToolExecution` returns false; the type of the node still shows it.
 */
export const isTool = (context: IExecuteFunctions): boolean =>
  isToolNode(context.getNode()) || context.isToolExecution?.();

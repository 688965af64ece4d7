import { createNode, type NodeJson } from '../../harness';

const TOOL_TYPE = 'n8n-nodes-record-database.recordDatabaseTool';

const fromModel = (name: string, description: string) => `={{ $fromAI('${name}', \`${description}\`) }}`;

const table = { __rl: true, mode: 'id', value: fromModel('table', 'Table') };
const filter = { filterJson: fromModel('filter', 'Filter') };
const columns = { columnsMode: 'json', columnsJson: fromModel('columns', 'Fields and their values') };
const recordId = fromModel('recordId', 'ID of the record');

const record = (operation: string, parameters: object) => ({
  resource: 'record',
  operation,
  dataTableId: table,
  ...parameters,
});

/** Tools of an agent. The model gives the table and everything else. */
const TOOLS = {
  findRecords: record('getAll', { ...filter, limit: 3 }),
  findByCondition: record('getAll', {
    filterJson:
      "={{ { [$fromAI('field', 'Field')]: { [$fromAI('operator', 'Operator')]: $fromAI('value', 'Value') } } }}",
    limit: 3,
  }),
  findSorted: record('getAll', {
    filterJson: 'all',
    limit: fromModel('limit', 'How many'),
    sortJson: "={{ { [$fromAI('sortBy', 'Field')]: $fromAI('direction', 'asc or desc') } }}",
    options: { columns: fromModel('columns', 'Fields to return') },
  }),
  findInOrder: record('getAll', { filterJson: 'all', sortJson: fromModel('sort', 'Order'), limit: 20 }),
  countRecords: record('count', filter),
  getRecord: record('get', { recordId }),
  createRecord: record('create', columns),
  updateRecord: record('update', { recordId, ...columns }),
  upsertRecord: record('upsert', { ...columns, matchColumns: fromModel('matchOn', 'Fields to match on') }),
  updateRecords: record('batchUpdate', {
    filterJson: fromModel('filter', 'Conditions'),
    ...columns,
    maximum: 50,
  }),
  deleteRecord: record('delete', { recordId }),
  listFields: { resource: 'field', operation: 'getAll', dataTableId: table },
} satisfies Record<string, object>;

export type ToolName = keyof typeof TOOLS;

/** A workflow in which an agent has one tool. */
export function createToolWorkflow(name: string, parameters: object, type = TOOL_TYPE) {
  const agent = createNode('Agent', 'n8n-nodes-base.toolCaller');
  const node: NodeJson = createNode(name, type, parameters);
  return {
    nodes: [createNode('Start', 'n8n-nodes-base.manualTrigger'), agent, node],
    connections: {
      Start: { main: [[{ node: agent.name, type: 'main', index: 0 }]] },
      [node.name]: { ai_tool: [[{ node: agent.name, type: 'ai_tool', index: 0 }]] },
    },
  };
}

/** A workflow in which an agent has one of the tools of the corpus. */
export const createAgentWorkflow = (tool: ToolName) => createToolWorkflow(tool, TOOLS[tool]);

import type { INode } from 'n8n-workflow';
import { isToolNode } from '../../../../nodes/n8n/parameters/parameter';

test('only the end of a type decides', () => {
  expect(isToolNode({ type: 'n8n-nodes-toolbox.recordDatabase' } as INode)).toBe(false);
  expect(isToolNode({ type: 'n8n-nodes-record-database.recordDatabaseTool' } as INode)).toBe(true);
});

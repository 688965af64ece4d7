import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { isTool } from '../../../../nodes/n8n/agent/agent';
import { isToolNode } from '../../../../nodes/n8n/parameters/parameter';

const createContext = (type: string, isToolExecution?: () => boolean) =>
  ({ getNode: () => ({ type }) as INode, isToolExecution }) as unknown as IExecuteFunctions;

const NODE = 'n8n-nodes-record-database.recordDatabase';

test('a node is a tool by its type, or because n8n says that a tool calls it', () => {
  expect(isTool(createContext(`${NODE}Tool`, () => false))).toBe(true);
  expect(isTool(createContext(NODE, () => true))).toBe(true);
  expect(isTool(createContext(NODE, () => false))).toBe(false);
});

test('releases of n8n without isToolExecution show a tool by its type only', () => {
  expect(isTool(createContext(`${NODE}Tool`))).toBe(true);
  expect(isTool(createContext(NODE))).toBeFalsy();
});

test('only the end of a type decides', () => {
  expect(isToolNode({ type: 'n8n-nodes-toolbox.recordDatabase' } as INode)).toBe(false);
  expect(isToolNode({ type: `${NODE}Tool` } as INode)).toBe(true);
});

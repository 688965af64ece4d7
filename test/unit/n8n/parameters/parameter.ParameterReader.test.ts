import type { INode } from 'n8n-workflow';
import { defineParameter, ParameterReader } from '../../../../nodes/n8n/parameters/parameter';

const name = defineParameter({ displayName: 'Name', name: 'name', type: 'string', default: '' });

test('n8n evaluates a parameter once: an expression such as $now would give another value each time', () => {
  let count = 0;
  const reader = new ParameterReader(
    () => ({ parameters: {} }) as INode,
    () => `value ${++count}`,
  );
  expect([reader.read(name), reader.read(name)]).toEqual(['value 1', 'value 1']);
});

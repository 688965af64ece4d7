import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { InputError } from '../../../nodes/shared/model/inputError';
import { ApiFailure } from '../../../nodes/shared/transport/errors';
import { toNodeError } from '../../../nodes/shared/transport/nodeError';
import { Unsteady } from '../../../nodes/shared/transport/pages';

describe("n8n's errors", () => {
  const node: INode = {
    id: 'n',
    name: 'Users',
    type: 'x',
    typeVersion: 1,
    position: [0, 0],
    parameters: { email: 'ada@example.com', password: 'pass-canary', token: 'token-canary' },
  };

  test('of bad input name the remedy and the item', () => {
    const error = toNodeError(node, new InputError('"A" cannot take 5', 'Give a text.'), 3);
    expect(error).toBeInstanceOf(NodeOperationError);
    expect(error).toMatchObject({
      message: '"A" cannot take 5',
      description: 'Give a text.',
      context: { itemIndex: 3 },
    });
  });

  test('of the service carry its status, and none where there was no answer', () => {
    const explanation = { message: 'Not there', description: 'Pick another.' };
    const error = toNodeError(node, new ApiFailure(explanation, 404), 0);
    expect(error).toBeInstanceOf(NodeApiError);
    expect(error).toMatchObject({ ...explanation, httpCode: '404', context: { itemIndex: 0 } });
    expect((toNodeError(node, new ApiFailure(explanation)) as NodeApiError).httpCode).toBeNull();
  });

  test('of a list that moves too fast say what to turn off', () => {
    const error = toNodeError(node, new Unsteady(), 1);
    expect(error).toBeInstanceOf(NodeOperationError);
    expect(error.description).toMatch(/"Strict Paging"/);
    expect(error.context.itemIndex).toBe(1);
  });

  test('that are there already stay as they are, anything else keeps its words', () => {
    const own = new NodeOperationError(node, 'mine');
    expect(toNodeError(node, own)).toBe(own);
    const api = new NodeApiError(node, { message: 'api' });
    expect(toNodeError(node, api)).toBe(api);
    expect(toNodeError(node, new TypeError('odd')).message).toBe('odd');
    expect(toNodeError(node, 'text').message).toBe('text');
  });

  test('hold no secret parameter of the node, which n8n stores with them', () => {
    for (const failure of [
      new InputError('a', 'b'),
      new ApiFailure({ message: 'a', description: 'b' }),
      'c',
    ]) {
      const { parameters } = toNodeError(node, failure).node;
      expect(parameters.email).toBe('ada@example.com');
      expect(JSON.stringify(parameters)).not.toContain('canary');
    }
    expect(node.parameters.password).toBe('pass-canary');
  });
});

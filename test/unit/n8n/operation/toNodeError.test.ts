import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { toNodeError } from '../../../../nodes/n8n/operation/toNodeError';
import { ApiError, InputError } from '../../../../nodes/service';

describe("n8n's errors", () => {
  const node: INode = {
    id: 'n',
    name: 'Users',
    type: 'x',
    typeVersion: 1,
    position: [0, 0],
    parameters: { email: 'ada@example.com', password: 'pass-canary', token: 'token-canary' },
  };

  test('for invalid input contain the remedy', () => {
    const error = toNodeError(node, new InputError('"A" cannot take 5', 'Give a text.'));
    expect(error).toBeInstanceOf(NodeOperationError);
    expect(error).toMatchObject({
      message: '"A" cannot take 5',
      description: 'Give a text.',
    });
  });

  test('for service errors contain the status, and no status without a response', () => {
    const explanation = { message: 'Not there', description: 'Pick another.' };
    const error = toNodeError(node, new ApiError({ ...explanation, status: 404 }));
    expect(error).toBeInstanceOf(NodeApiError);
    expect(error).toMatchObject({ ...explanation, httpCode: '404' });
    expect((toNodeError(node, new ApiError(explanation)) as NodeApiError).httpCode).toBeNull();
  });

  test.each<[ApiError, RegExp]>([
    [
      new ApiError({ message: 'm', description: 'd', code: 'timeout' }),
      /^d .*"Request Timeout \(Seconds\)" under Advanced Settings/,
    ],
    [
      new ApiError({ message: 'm', description: 'd', code: 'fileTooLarge' }),
      /^d .*"Maximum File Size \(MB\)"/,
    ],
  ])('%s: the description names the option of the form', (failure, words) => {
    const error = toNodeError(node, failure);
    expect(error.description).toMatch(words);
  });

  test('are passed through unchanged, and other errors keep their message', () => {
    const own = new NodeOperationError(node, 'mine');
    expect(toNodeError(node, own)).toBe(own);
    const api = new NodeApiError(node, { message: 'api' });
    expect(toNodeError(node, api)).toBe(api);
    expect(toNodeError(node, new TypeError('odd')).message).toBe('odd');
    expect(toNodeError(node, 'text').message).toBe('text');
  });

  test('of a tool have the remedy in the message, which is all that a model sees', () => {
    const tool = { ...node, type: 'recordDatabaseTool' };
    expect(toNodeError(tool, new InputError('A is 5', 'Give a text.')).message).toBe('A is 5. Give a text.');
    expect(toNodeError(tool, new ApiError({ message: 'Busy', description: 'Wait.' })).message).toBe(
      'Busy. Wait.',
    );
    expect(toNodeError(tool, new ApiError({ message: 'Busy', description: '' })).message).toBe('Busy');
  });

  test('keep the description of other errors', () => {
    const other = Object.assign(new Error('odd'), { description: 'Look here.' });
    expect(toNodeError(node, other)).toMatchObject({
      message: 'odd',
      description: 'Look here.',
    });
    expect(toNodeError(node, new Error('odd')).description).toBeUndefined();
  });

  test('have the details of a service error in their data', () => {
    const explanation = { message: 'm', description: 'd' };
    const details = { oldRecords: [{ id: 'r1' }] };
    expect(toNodeError(node, new ApiError({ ...explanation, details })).context.data).toEqual(details);
    expect(toNodeError(node, new ApiError(explanation)).context).not.toHaveProperty('data');
  });

  test('contain no secret parameters of the node, because n8n stores errors with the node', () => {
    for (const failure of [new InputError('a', 'b'), new ApiError({ message: 'a', description: 'b' }), 'c']) {
      const { parameters } = toNodeError(node, failure).node;
      expect(parameters.email).toBe('ada@example.com');
      expect(JSON.stringify(parameters)).not.toContain('canary');
    }
    expect(node.parameters.password).toBe('pass-canary');
  });
});

import { NodeApiError, NodeOperationError, type INode, type JsonObject } from 'n8n-workflow';
import { InputError } from '../model/inputError';
import { ApiFailure } from './errors';
import { Unsteady } from './pages';
import { HIDDEN } from './redact';

/** Parameters of the session operations. n8n stores an error with its node, and so with these. */
const SECRET_PARAMETERS = new Set(['password', 'token']);

const withoutSecrets = (node: INode): INode => ({
  ...node,
  parameters: Object.fromEntries(
    Object.entries(node.parameters).map(([name, value]) => [
      name,
      SECRET_PARAMETERS.has(name) ? HIDDEN : value,
    ]),
  ),
});

/**
 * The one place where failures become n8n's errors. Built from plain values: an axios error would carry the
 * key headers along and hide the service's own message.
 */
export function toNodeError(
  failing: INode,
  error: unknown,
  itemIndex?: number,
): NodeApiError | NodeOperationError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  const node = withoutSecrets(failing);
  if (error instanceof InputError) {
    return new NodeOperationError(node, error.message, { description: error.remedy, itemIndex });
  }
  if (error instanceof ApiFailure) {
    const { message, description } = error.explanation;
    const httpCode = error.status === undefined ? undefined : String(error.status);
    return new NodeApiError(node, { message, description } as JsonObject, {
      message,
      description,
      httpCode,
      itemIndex,
    });
  }
  if (error instanceof Unsteady) {
    const description =
      'Turn off "Strict Paging" to take what can be read, filter for fewer records, or read when less is going on.';
    return new NodeOperationError(node, error.message, { description, itemIndex });
  }
  // n8n's own errors, of an expression say, have a reason too.
  const { message = String(error), description } = (error ?? {}) as Partial<NodeOperationError>;
  return new NodeOperationError(node, message, { itemIndex, ...(description && { description }) });
}

import { isEmpty, mapValues } from 'lodash';
import {
  type IDataObject,
  type INode,
  type JsonObject,
  NodeApiError,
  NodeOperationError,
} from 'n8n-workflow';
import { ApiError, asObject, ClientError, formatForError, joinFirstTexts, toSentence } from '../../service';
import { isToolNode } from '../parameters/parameter';
import { getOldRecords } from './item';

/**
 * Converts any error to an error of n8n. Copies plain values only, because an axios error contains the headers
 * with the API key, and hides the service's message.
 * @param isMessageAlone whether the message must contain the remedy too. AI models, and users who publish a
 * workflow or listen for a test event, see only the message
 */
export function toNodeError(
  failing: INode,
  error: unknown,
  isMessageAlone = isToolNode(failing),
): NodeApiError | NodeOperationError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  const node = hideSecretParameters(failing);
  if (error instanceof ClientError) {
    const { code, status, retryAt } = error instanceof ApiError ? error : {};
    const remedy = code && REMEDIES_BY_ERROR_CODE[code];
    const description = [createErrorDescription(error), remedy].filter(Boolean).join(' ');
    const message = formatMessage(replaceIdsByPickedNames(error.message, node), description, isMessageAlone);
    const texts = { message, description };
    const nodeError =
      error instanceof ApiError
        ? new NodeApiError(node, texts as JsonObject, { ...texts, httpCode: status?.toString() })
        : new NodeOperationError(node, message, { description });
    const data = { ...error.details, ...(retryAt && { _retryAt: retryAt }) };
    // If there is no error item, only this data of the execution keeps the old values of records.
    if (!isEmpty(data)) nodeError.context.data = data as IDataObject;
    return nodeError;
  }
  // n8n's own errors, for example those of expressions, can have a description too.
  const { message = String(error), description } = (error ?? {}) as Partial<NodeOperationError>;
  return new NodeOperationError(node, message, { ...(description && { description }) });
}

/** Adds to the description which old records the error contains, and where the user finds them. */
function createErrorDescription(error: ClientError): string {
  const { description } = error;
  const ids = getOldRecords(error).map(({ id }) => String(id));
  if (ids.length === 0) return description;
  const count = ids.length === 1 ? '1 record' : `${ids.length} records`;
  return `${description} This error holds ${count} (${joinFirstTexts(ids, ', ', 5)}) as "oldRecords", under "Error data" or, in an error item, under "details". To undo their changes, give them to the operation Undo.`;
}

/** These remedies name labels of the form, so they stand here and not in the client. */
const REMEDIES_BY_ERROR_CODE: Partial<Record<NonNullable<ApiError['code']>, string>> = {
  fileTooLarge: 'Raise "Maximum File Size (MB)" in the options to download it.',
  timeout: 'To wait longer, raise "Request Timeout (Seconds)" under Advanced Settings of the credential.',
};

/** Parameters of the session operations. n8n would store their values with the error. */
const SECRET_PARAMETER_NAMES = new Set(['password', 'token']);

const hideSecretParameters = (node: INode): INode => ({
  ...node,
  parameters: mapValues(node.parameters, (value, name) => (SECRET_PARAMETER_NAMES.has(name) ? '•••' : value)),
});

/**
 * Codes that messages of tools leave out. n8n would replace a message with such a code by advice to repeat the
 * call, even after an unknown outcome (`setDescriptiveErrorMessage` in n8n-workflow 1.120 and 2.40).
 */
const NETWORK_CODES = /\s?\(?\b(ECONN[A-Z]+|ENOTFOUND|ETIMEDOUT|EADDRNOTAVAIL|EHOSTUNREACH|EAI_AGAIN)\b\)?/g;

const formatMessage = (message: string, remedy: string, isMessageAlone: boolean): string =>
  isMessageAlone && remedy !== ''
    ? `${toSentence(message)} ${remedy}`.replaceAll(NETWORK_CODES, '')
    : message;

/** Changes `table "T1x9Kq"` to `table "Customers"`, if n8n stored the name when the table was picked. */
function replaceIdsByPickedNames(text: string, { parameters }: INode): string {
  return Object.values(parameters).reduce<string>((named, parameter) => {
    const { value, cachedResultName: name } = asObject(parameter);
    const isNamed = typeof value === 'string' && value !== '' && typeof name === 'string' && name !== '';
    return isNamed ? named.replaceAll(`"${value}"`, () => formatForError(name)) : named;
  }, text);
}

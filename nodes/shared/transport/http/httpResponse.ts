import { getEffectiveStatus } from '../../model/responses/errorResponse';
import { parseContent } from './parseContent';

export interface HttpResponse {
  /** HTTP status. For an error body with a 2xx status, the status that the body names. */
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Parsed JSON, or text if the response is not JSON. */
  body: unknown;
}

/** A response as n8n's request helper returns it. */
export interface N8nResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: unknown;
}

/** Whether the response has no body, or an empty one. */
const isEmptyResponse = (status: number, headers: Record<string, string>, body: unknown): boolean =>
  status === 204 || (status >= 200 && status < 300 && (headers['content-length'] === '0' || body === null));

export function toHttpResponse(
  { statusCode: status, headers, body }: N8nResponse,
  mayBeEmpty = false,
): HttpResponse {
  const content = parseContent(headers, body);
  const isWhole = mayBeEmpty && isEmptyResponse(status, headers, content);
  return { status: getEffectiveStatus(status, content), headers, body: isWhole ? {} : content };
}

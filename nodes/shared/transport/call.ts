import type { Endpoint } from '../model/endpoints/endpoint';
import type { Credential } from './auth/credential';
import { fillPath } from './http/path';
import type { HttpRequest } from './http/sendRequest';

/**
 * A body that becomes outdated, because it repeats values of the service. It is created before the first attempt, before
 * each further one, and again if it is outdated when the rate limit admits the attempt.
 */
export interface LiveBody {
  /** Whether the last body may still be sent. */
  isCurrent(): boolean;
  /**
   * Creates the body. What it throws ends the call.
   * @param isRepeated whether an earlier attempt may have been carried out
   */
  create(isRepeated: boolean): Promise<object>;
}

export interface CallOptions<Name extends string = string> {
  /** Values of the endpoint's `{path}` parameters. The App ID is added automatically. */
  path?: Record<Name, unknown>;
  query?: object;
  /** Values for a JSON body, or a `FormData`. */
  body?: object;
  /** Replaces `body`. */
  liveBody?: LiveBody;
  /** An `Authorization` header here (or NO_LOGIN) replaces the login of the credential. */
  headers?: Record<string, string>;
  /** The response may be a file: see `parseContent`. */
  file?: boolean;
  /** Values of this call that are removed from error messages. */
  secrets?: string[];
}

export interface ApiResponse<Body = unknown> {
  body: Body;
  headers: Record<string, string>;
  /** Requests that may have had an effect. With more than one, the response to an earlier one was lost. */
  attempts: number;
  /** Whether an attempt got no response: the service may still carry it out. */
  isUnanswered: boolean;
}

/** The options of a call. `path` is required for an endpoint with path parameters. */
export type CallArguments<Name extends string> = [Name] extends [never]
  ? [call?: CallOptions<never>]
  : string extends Name
    ? [call?: CallOptions]
    : [call: CallOptions<Name> & { path: unknown }];

/** Builds the request of a call. @throws InputError for a missing or unsafe path value */
export function buildRequest(
  { baseUrl, appId }: Credential,
  endpoint: Endpoint,
  { path, query, body, headers, file }: CallOptions,
  timeout: number,
): HttpRequest {
  const url = baseUrl + fillPath(endpoint, { appId, ...path });
  // The empty response to a change is complete, so the change is not sent again. `parseResponse` refuses it.
  const mayBeEmpty = endpoint.effect !== 'read';
  return { method: endpoint.method, url, query, body, headers, file, mayBeEmpty, timeout };
}

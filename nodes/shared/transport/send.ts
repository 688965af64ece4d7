import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  IWebhookFunctions,
} from 'n8n-workflow';
import { statusMeant } from '../model/answer';
import { contentOf, FILE_OR_JSON } from './content';

/** Every n8n context that our code makes calls from. */
export type ApiContext = IExecuteFunctions | ILoadOptionsFunctions | IHookFunctions | IWebhookFunctions;

export const CREDENTIAL = 'recordDatabaseApi';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  query?: IDataObject;
  body?: IDataObject | FormData;
  headers?: Record<string, string>;
  /** The answer may be a file: it comes as bytes and is read by its content type. */
  file?: boolean;
  /** An answer without a body is whole. */
  mayBeEmpty?: boolean;
  /** Milliseconds without an answer after which the call is given up. */
  timeout: number;
}

export interface HttpResponse {
  /** Of an error body that came with a success: the one it names. */
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Parsed JSON, or text where the answer was none. */
  body: unknown;
}

/** A call that brought no whole answer: only the network's code and words, never the request. */
export class NetworkFault extends Error {
  constructor(
    /** `ECONNREFUSED`, `ECONNRESET`, `ETIMEDOUT`, … as Node and axios name them. */
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'NetworkFault';
  }
}

interface ThrownByN8n {
  code?: string;
  message?: string;
  cause?: {
    code?: string;
    syscall?: string;
    message?: string;
    response?: { status: number; headers: object; data: unknown };
  };
}

/** The answer that n8n threw because of its status: it does so where it may log in again. */
function answerIn({ cause }: ThrownByN8n): HttpResponse | undefined {
  if (!cause?.response) return undefined;
  const { status, headers, data } = cause.response;
  const plain = { ...headers } as Record<string, string>;
  return { status, headers: plain, body: contentOf(plain, data) };
}

/** A host that cannot be reached while connecting got nothing; later on, it may have. */
const connecting = (code: string, syscall?: string): string =>
  /^E(HOST|NET)UNREACH$/.test(code) && syscall !== 'connect' ? `${code}_LATER` : code;

/** n8n wraps what axios threw; it holds the request with its key headers, so only plain words leave here. */
function faultFrom({ cause, code, message }: ThrownByN8n): NetworkFault {
  const name = [cause?.code, code].find((one) => typeof one === 'string') ?? 'UNKNOWN';
  return new NetworkFault(connecting(name, cause?.syscall), cause?.message ?? message ?? 'no answer');
}

/** An answer that says it has no body, or nothing in it. */
const isEmpty = (status: number, headers: Record<string, string>, body: unknown): boolean =>
  status === 204 || (status >= 200 && status < 300 && (headers['content-length'] === '0' || body === null));

/** GET is left out: with the method given n8n deletes a GET's body, and `batch-update-check` has one. */
function optionsOf({ method, url, query, body, headers, file, timeout }: HttpRequest): IHttpRequestOptions {
  return {
    ...(method !== 'GET' && { method: method as IHttpRequestMethods }),
    url,
    qs: query,
    // n8n types know only the `form-data` package; its client takes the platform's FormData as well.
    body: body as IDataObject | undefined,
    headers: { ...headers, ...(file && { Accept: FILE_OR_JSON }) },
    ...(file && { encoding: 'arraybuffer' }),
    timeout,
    json: true,
    arrayFormat: 'indices',
    returnFullResponse: true,
    // A redirect would carry the key headers to wherever it points.
    disableFollowRedirect: true,
  };
}

/**
 * The only caller of n8n's http helper. Every status is an answer, a lost answer a fault; nothing is thrown.
 * With `login` a 401 makes n8n log the user in again and repeat the call (its pre-authentication).
 */
export async function send(
  context: ApiContext,
  request: HttpRequest,
  login = false,
): Promise<HttpResponse | NetworkFault> {
  const options: IHttpRequestOptions = {
    ...optionsOf(request),
    ...(!login && { ignoreHttpStatusErrors: true }),
  };
  try {
    const answer = (await context.helpers.httpRequestWithAuthentication.call(
      context,
      CREDENTIAL,
      options,
    )) as {
      statusCode: number;
      headers: Record<string, string>;
      body: unknown;
    };
    const { statusCode: status, headers } = answer;
    const content = contentOf(headers, answer.body);
    const isWhole = request.mayBeEmpty === true && isEmpty(status, headers, content);
    return { status: statusMeant(status, content), headers, body: isWhole ? {} : content };
  } catch (error) {
    return answerIn(error as ThrownByN8n) ?? faultFrom(error as ThrownByN8n);
  }
}

/* eslint-disable @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import { randomUUID } from 'node:crypto';
import type { IHttpRequestHelper } from 'n8n-workflow';
import { authenticateUser } from '../../../../nodes/shared/transport/auth/login';
import { Client } from '../../../../nodes/shared/transport/client';
import type { ClientOptions } from '../../../../nodes/shared/transport/clientOptions';
import type { ApiContext } from '../../../../nodes/shared/transport/http/sendRequest';

export interface FakeAnswer {
  statusCode: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface SentRequest {
  url: string;
  method?: string;
  /** Whether any status counts as a response. n8n logs in again only if this is not set. */
  ignoreHttpStatusErrors?: boolean;
  disableFollowRedirect?: boolean;
  abortSignal?: AbortSignal;
  timeout?: number;
}

type AnswerRequest = (request: SentRequest, nth: number) => FakeAnswer | Promise<FakeAnswer>;

export const createOkAnswer = (body: unknown = { type: 'success' }): FakeAnswer => ({
  statusCode: 200,
  headers: {},
  body,
});
export const createErrorAnswer = (statusCode: number, msg: string, headers = {}): FakeAnswer => ({
  statusCode,
  headers,
  body: { type: 'error', msg, status: statusCode },
});

/** The error that n8n throws without a response: its own error with that of axios as the cause. */
export const createLostError = (code: string) =>
  Object.assign(new Error(`wrapped ${code}`), { cause: Object.assign(new Error(`said ${code}`), { code }) });

/** The parts of n8n that the client uses: requests and the credential's pre-authentication. */
export class FakeN8n {
  readonly sent: SentRequest[] = [];
  readonly messages: unknown[] = [];
  readonly hints: Array<{ message: string }> = [];
  /** Requests to `/auth/login`. */
  logins = 0;
  /** The response to a login; by default a new token each time. */
  answerLogin: AnswerRequest = (_, nth) => createOkAnswer({ type: 'success', token: `token-${nth}` });
  credentialReads = 0;
  readonly cancel = new AbortController();
  readonly context: ApiContext;

  constructor(
    private readonly answer: AnswerRequest,
    readonly credential: Record<string, unknown> = {},
  ) {
    this.credential = {
      baseUrl: 'https://service.example',
      appId: 'app1',
      appKey: `key-${randomUUID()}`,
      appSecret: 'a-secret-value',
      ...credential,
    };
    this.context = {
      getCredentials: async () => (this.credentialReads++, this.credential),
      getExecutionCancelSignal: () => this.cancel.signal,
      sendMessageToUI: (message: unknown) => this.messages.push(message),
      addExecutionHints: (hint: { message: string }) => this.hints.push(hint),
      helpers: {
        httpRequestWithAuthentication: (_type: string, options: SentRequest) =>
          this.requestWithLogin(options),
        httpRequest: (options: SentRequest) => this.answerLogin(options, ++this.logins),
      },
    } as unknown as ApiContext;
  }

  createClient = (options?: ClientOptions): Promise<Client> => Client.create(this.context, options);

  /** Logs in if no token is stored; after a thrown 401, logs in once more and repeats the request. */
  private async requestWithLogin(options: SentRequest): Promise<FakeAnswer> {
    if (!this.credential.sessionToken) await this.preAuthenticate();
    try {
      return await this.request(options);
    } catch (error) {
      const { response } = (error as { cause?: { response?: { status: number } } }).cause ?? {};
      if (response?.status !== 401) throw error;
      await this.preAuthenticate();
      return await this.request(options);
    }
  }

  private async preAuthenticate(): Promise<void> {
    const helper = { helpers: this.context.helpers } as unknown as IHttpRequestHelper;
    Object.assign(this.credential, await authenticateUser(helper, this.credential as never));
  }

  private async request(options: SentRequest): Promise<FakeAnswer> {
    this.sent.push(options);
    const answer = await this.answer(options, this.sent.length);
    if (options.ignoreHttpStatusErrors || answer.statusCode < 400) return answer;
    const response = { status: answer.statusCode, headers: answer.headers ?? {}, data: answer.body };
    throw Object.assign(new Error('n8n'), { cause: Object.assign(new Error('axios'), { response }) });
  }
}

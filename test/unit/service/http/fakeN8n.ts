import { randomUUID } from 'node:crypto';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { authenticateRequest } from '../../../../credentials/RecordDatabaseApi.credentials';
import { type ApiContext, createNodeClient, createPort, systemClock } from '../../../../nodes/n8n/http/port';
import type { Client } from '../../../../nodes/service';
import type { DownloadClient } from '../../../../nodes/service/files/openDownload';

export interface FakeAnswer {
  statusCode: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface SentRequest {
  url: string;
  method?: string;
  /** As the service receives them. */
  headers?: Record<string, string>;
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

interface GivenCredential {
  credentialsDecrypted: { data: ICredentialDataDecryptedObject };
}

/** What a download needs, with n8n's request helper. */
export const createDownloadClient = (
  httpRequest: (options: never) => Promise<unknown>,
  options: Partial<Pick<DownloadClient, 'credential' | 'timeout' | 'signal'>> = {},
): DownloadClient => ({
  port: createPort({ helpers: { httpRequest }, getTimezone: () => 'UTC' } as unknown as ApiContext, {}),
  clock: systemClock,
  credential: { baseUrl: 'https://app.example.com', fileHosts: [] },
  timeout: 5_000,
  ...options,
});

/** The parts of n8n that the client uses: the credential, and requests with its headers. */
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
      userLogin: 'none',
      ...credential,
    };
    this.context = {
      getCredentials: async () => (this.credentialReads++, this.credential),
      getExecutionCancelSignal: () => this.cancel.signal,
      getTimezone: () => 'UTC',
      sendMessageToUI: (message: unknown) => this.messages.push(message),
      addExecutionHints: (hint: { message: string }) => this.hints.push(hint),
      helpers: {
        httpRequestWithAuthentication: (_type: string, options: SentRequest, credential: GivenCredential) =>
          this.request(options, credential),
        httpRequest: (options: SentRequest) => this.answerLogin(options, ++this.logins),
      },
    } as unknown as ApiContext;
  }

  createClient = (options?: { signal?: AbortSignal; timeout?: number }): Promise<Client> =>
    createNodeClient(this.context, options);

  private async request(
    options: SentRequest,
    { credentialsDecrypted: { data } }: GivenCredential,
  ): Promise<FakeAnswer> {
    const request = (await authenticateRequest(data, options as IHttpRequestOptions)) as SentRequest;
    this.sent.push(request);
    return this.answer(request, this.sent.length);
  }
}

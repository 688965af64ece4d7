import { randomUUID } from 'node:crypto';
import type { ApiContext } from '../../../nodes/shared/transport/send';
import { Client, type ClientOptions } from '../../../nodes/shared/transport/client';

export interface FakeAnswer {
  statusCode: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Sent {
  url: string;
  method?: string;
  /** Whether n8n was told to take any status as an answer; it logs in again only when not. */
  ignoreHttpStatusErrors?: boolean;
  disableFollowRedirect?: boolean;
  timeout?: number;
}

type Answerer = (request: Sent, nth: number) => FakeAnswer | Promise<FakeAnswer>;

export const ok = (body: unknown = { type: 'success' }): FakeAnswer => ({
  statusCode: 200,
  headers: {},
  body,
});
export const refused = (statusCode: number, msg: string, headers = {}): FakeAnswer => ({
  statusCode,
  headers,
  body: { type: 'error', msg, status: statusCode },
});

/** What n8n throws when there is no answer: its own error around what axios threw. */
export const lost = (code: string) =>
  Object.assign(new Error(`wrapped ${code}`), { cause: Object.assign(new Error(`said ${code}`), { code }) });

/** The few parts of n8n that the client touches. `login` stands for n8n's pre-authentication. */
export class FakeN8n {
  readonly sent: Sent[] = [];
  readonly messages: unknown[] = [];
  readonly hints: Array<{ message: string }> = [];
  logins = 0;
  credentialReads = 0;
  readonly cancel = new AbortController();
  readonly context: ApiContext;

  constructor(
    private readonly answer: Answerer,
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
        httpRequestWithAuthentication: (_type: string, options: Sent) => this.request(options),
      },
    } as unknown as ApiContext;
  }

  client = (options?: ClientOptions): Promise<Client> => Client.for(this.context, options);

  private async request(options: Sent, isAgain = false): Promise<FakeAnswer> {
    this.sent.push(options);
    const answer = await this.answer(options, this.sent.length);
    if (options.ignoreHttpStatusErrors || answer.statusCode < 400) return answer;
    // As n8n: one login and one repetition, whatever comes of it.
    if (answer.statusCode === 401 && !isAgain) {
      this.logins++;
      return this.request({ ...options, ignoreHttpStatusErrors: false }, true);
    }
    const response = { status: answer.statusCode, headers: answer.headers ?? {}, data: answer.body };
    throw Object.assign(new Error('n8n'), { cause: Object.assign(new Error('axios'), { response }) });
  }
}

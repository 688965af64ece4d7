import type {
  IDataObject,
  IHookFunctions,
  IHttpRequestOptions,
  IPollFunctions,
  IWebhookFunctions,
} from 'n8n-workflow';
import { authenticateRequest } from '../../credentials/RecordDatabaseApi.credentials';
import { type HttpRequest, NetworkError } from '../../nodes/service';
import type { Service } from '../service';
import { createFetchPort } from './fetchPort';

const port = createFetchPort();

/** Sends a request with `fetch`, and answers as n8n's request helper does. */
async function sendRequest(options: IHttpRequestOptions): Promise<object> {
  const { method = 'GET', url, qs, body, headers, timeout = 60_000 } = options;
  const request = { method, url, query: qs, body, headers, timeout, maxBytes: 1e9 } as HttpRequest;
  const answer = await port.send(request, { login: false });
  if (answer instanceof NetworkError) throw Object.assign(new Error(answer.message), { code: answer.code });
  return { statusCode: answer.status, headers: answer.headers, body: answer.body };
}

/** The answer to a delivery, and the item that starts the workflow. */
export interface WebhookAnswer {
  status?: number;
  body?: { type: string; msg: string };
}

/**
 * The parts of n8n that a trigger uses, for one node in one n8n. Its requests reach an embedded service. A parameter that
 * is an error fails as an expression does.
 */
export class TriggerContext {
  instanceId = 'this-n8n';
  workflowId = 'w';
  node = { id: 'node', name: 'Trigger', type: 'trigger', webhookId: 'hook1' };
  webhookUrl: string | undefined = 'http://127.0.0.1:1/webhook/hook1/webhook';
  mode = 'trigger';
  data: IDataObject = {};
  globalData: IDataObject = {};
  credential: Record<string, unknown> | Error;
  parameters: Record<string, unknown> = {};
  /** Milliseconds that n8n gives to a poll; undefined in versions that do not say so. */
  budget?: number;
  request = {
    query: {} as object,
    path: '/webhook/hook1/webhook',
    body: {} as object,
  };
  answer: WebhookAnswer = {};
  /** Messages in the log of n8n. */
  readonly warnings: string[] = [];

  constructor(service: Pick<Service, 'baseUrl' | 'keys'>, parameters: object = {}) {
    this.credential = { baseUrl: service.baseUrl, ...service.keys, userLogin: 'none' };
    this.parameters = { ...parameters };
  }

  /** The context that n8n hands to `webhook()`, to a webhook method or to `poll()`. */
  get context(): IHookFunctions & IWebhookFunctions & IPollFunctions {
    const { path, query, body } = this.request;
    const response = {
      status: (status: number) => {
        this.answer.status = status;
        return { json: (body: WebhookAnswer['body']) => (this.answer.body = body) };
      },
    };
    return {
      getNode: () => ({ ...this.node, parameters: this.parameters }),
      getWorkflow: () => ({ id: this.workflowId }),
      getInstanceId: () => this.instanceId,
      getTimezone: () => 'UTC',
      getMode: () => this.mode,
      getActivationMode: () => 'activate',
      getNodeWebhookUrl: () => this.webhookUrl,
      getNodeParameter: (name: string, fallback: unknown, options?: { extractValue?: boolean }) => {
        const value = this.parameters[name] ?? fallback;
        if (value instanceof Error) throw value;
        return options?.extractValue ? (value as { value: unknown }).value : value;
      },
      getWorkflowStaticData: (type: string) => (type === 'global' ? this.globalData : this.data),
      getCredentials: async () => {
        if (this.credential instanceof Error) throw this.credential;
        return this.credential;
      },
      getQueryData: () => query,
      getRequestObject: () => ({ path, rawBody: Buffer.from(JSON.stringify(body)) }),
      getResponseObject: () => response,
      logger: { warn: (message: string) => this.warnings.push(message) },
      ...(this.budget !== undefined && { getPollBudgetMs: () => this.budget }),
      helpers: {
        httpRequest: sendRequest,
        httpRequestWithAuthentication: async (
          _type: string,
          options: IHttpRequestOptions,
          { credentialsDecrypted }: { credentialsDecrypted: { data: never } },
        ) => sendRequest(await authenticateRequest(credentialsDecrypted.data, options)),
      },
    } as unknown as IHookFunctions & IWebhookFunctions & IPollFunctions;
  }
}

/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import fastify from 'fastify';

interface Message {
  role: string;
  content?: unknown;
}

interface Completion {
  messages: Message[];
  tools?: Array<{ function: { name: string; description: string; parameters: object } }>;
}

/** A call of a tool, as a model makes it. n8n names a tool by its node: `Find_Records` for "Find Records". */
export interface ScriptedCall {
  tool: string;
  arguments: object;
}

/** A chat model on loopback with OpenAI's protocol. It makes the given calls one by one, then returns the last result. */
export class ScriptedModel {
  readonly requests: Completion[] = [];
  private readonly server = fastify();
  url = '';

  constructor(public calls: ScriptedCall[]) {
    this.server.post('/v1/chat/completions', async ({ body }) => {
      const request = body as Completion;
      this.requests.push(request);
      return {
        id: `answer-${this.requests.length}`,
        object: 'chat.completion',
        created: 0,
        model: 'scripted',
        choices: [{ index: 0, ...this.answerTo(request) }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      };
    });
  }

  private answerTo({ messages }: Completion) {
    const results = messages.filter(({ role }) => role === 'tool');
    const call = this.calls[results.length];
    if (!call) {
      const content = `Found: ${String(results.at(-1)?.content)}`;
      return { finish_reason: 'stop', message: { role: 'assistant', content } };
    }
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: `call-${results.length + 1}`,
          type: 'function',
          function: { name: call.tool, arguments: JSON.stringify(call.arguments) },
        },
      ],
    };
    return { finish_reason: 'tool_calls', message };
  }

  /** The results of the calls that the model has received. */
  get results(): string[] {
    const messages = this.requests.at(-1)?.messages ?? [];
    return messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  }

  async start(): Promise<void> {
    this.url = `${await this.server.listen({ port: 0, host: '127.0.0.1' })}/v1`;
  }

  async stop(): Promise<void> {
    await this.server.close();
  }
}

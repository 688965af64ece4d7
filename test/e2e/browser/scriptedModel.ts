import fastify from 'fastify';

interface Message {
  role: string;
  content?: unknown;
}

interface Completion {
  messages: Message[];
  tools?: Array<{ function: { name: string; parameters: object } }>;
}

/** A chat model on loopback that speaks OpenAI's protocol, calls the one tool it is given and repeats its answer. */
export class ScriptedModel {
  readonly requests: Completion[] = [];
  private readonly server = fastify();
  url = '';

  constructor(private readonly toolArguments: object) {
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

  private answerTo({ messages, tools }: Completion) {
    const result = messages.find(({ role }) => role === 'tool');
    if (result) {
      return {
        finish_reason: 'stop',
        message: { role: 'assistant', content: `Found: ${String(result.content)}` },
      };
    }
    const call = { name: tools?.[0]?.function.name ?? '', arguments: JSON.stringify(this.toolArguments) };
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call-1', type: 'function', function: call }],
    };
    return { finish_reason: 'tool_calls', message };
  }

  async start(): Promise<void> {
    this.url = `${await this.server.listen({ port: 0, host: '127.0.0.1' })}/v1`;
  }

  async stop(): Promise<void> {
    await this.server.close();
  }
}

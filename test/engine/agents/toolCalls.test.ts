/* eslint-disable no-console, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped. SHOW_CALLS=1 prints the calls that are not understood. */
import { TestEnvironment } from '../support/testEnvironment';
import { corpus } from './corpus';
import { signsRecords, signsTable } from './corpus/signs';
import { judgeCall, type Outcome, type Verdict } from './judgeCall';
import { SampleTables } from './sampleTables';
import type { SampleRecord, ToolCall } from './toolCall';
import { createAgentWorkflow } from './tools';

/** The share of calls with a meaning that must be understood at once. */
const MINIMUM_SHARE = 0.49;

let env: TestEnvironment;
let sample: SampleTables;
beforeAll(async () => {
  env = await TestEnvironment.start();
  const signs = env.service.addTable(signsTable);
  for (const record of signsRecords) signs.insert(record as never);
  sample = new SampleTables(env.service.tables);
});
afterAll(() => env?.stop());

async function callTool({ tool, args }: ToolCall): Promise<Outcome> {
  const input = [{ json: sample.fillIds(args) as never }];
  const run = await env.engine.run(createAgentWorkflow(tool), { input });
  const [outcome] = run.getJson('Agent') as Outcome[];
  return outcome ?? { error: run.error?.message };
}

async function judge(call: ToolCall): Promise<[Verdict, Outcome]> {
  const outcome = await callTool(call);
  const verdict = judgeCall({ ...call, meaning: sample.fillMeaning(call.meaning) }, outcome, sample);
  sample.undoChanges();
  return [verdict, outcome];
}

const verdicts = new Map<ToolCall, Verdict>();

test.each(corpus.map((call) => [call.call, call] as const))('%s', async (_name, call) => {
  const [verdict, outcome] = await judge(call);
  verdicts.set(call, verdict);
  const trace: SampleRecord = { verdict, args: call.args, ...outcome };
  if (process.env.SHOW_CALLS && verdict !== 'understood') console.log(JSON.stringify(trace).slice(0, 900));
  expect(trace).not.toMatchObject({ verdict: 'wrong' });
});

test('no call is misunderstood', () => {
  const counts = { understood: 0, refused: 0, unclear: 0, wrong: 0 };
  for (const verdict of verdicts.values()) counts[verdict]++;
  const count = (calls: ToolCall[]) =>
    calls.filter((call) => call.meaning && verdicts.get(call) === 'understood').length;
  const meant = corpus.filter(({ meaning }) => meaning).length;
  expect(counts).toMatchObject({ wrong: 0, unclear: 0 });
  expect(count(corpus) / meant).toBeGreaterThanOrEqual(MINIMUM_SHARE);
});

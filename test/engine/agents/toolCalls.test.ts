/* eslint-disable no-console, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped. SHOW_CALLS=1 prints the calls that are not understood. */
import { readFileSync } from 'node:fs';
import { TestEnvironment } from '../support/testEnvironment';
import { corpus } from './corpus';
import { notationCalls } from './corpus/notations';
import { signCalls, signsRecords, signsTable } from './corpus/signs';
import { judgeCall, type Outcome, type Verdict } from './judgeCall';
import { SampleTables } from './sampleTables';
import type { SampleRecord, ToolCall } from './toolCall';
import { createAgentWorkflow } from './tools';

/** The share of calls with a meaning that must be understood at once, and after one correction by the error. */
const MINIMUM_SHARES = { atOnce: 0.5, corrected: 0.98 };

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

/**
 * Returns the call as a model repeats it after an error: with the filter that the error shows, or with the operator that
 * it suggests. Undefined if the error shows neither.
 */
function correctCall(call: ToolCall, error = ''): ToolCall | undefined {
  const operator = /has no operator .*Did you mean "([^"]+)"/.exec(error)?.[1];
  if (operator !== undefined && 'operator' in call.args) return { ...call, args: { ...call.args, operator } };
  const filter = /Write: (\{.*?\})\. /.exec(error)?.[1];
  const [field, comparison] =
    Object.entries(filter === undefined ? {} : (JSON.parse(filter) as object))[0] ?? [];
  if ('operator' in call.args && typeof comparison === 'object') {
    const [[word, value] = []] = Object.entries(comparison as object);
    return { ...call, args: { ...call.args, field, operator: word, value } };
  }
  if ('sort' in call.args && filter !== undefined) return { ...call, args: { ...call.args, sort: filter } };
  return filter === undefined ? undefined : { ...call, args: { ...call.args, filter } };
}

async function judge(call: ToolCall): Promise<[Verdict, Outcome]> {
  const outcome = await callTool(call);
  const verdict = judgeCall({ ...call, meaning: sample.fillMeaning(call.meaning) }, outcome, sample);
  sample.undoChanges();
  return [verdict, outcome];
}

const verdicts = new Map<ToolCall, Verdict>();
const corrections = new Map<ToolCall, Verdict>();

test.each(corpus.map((call) => [call.call, call] as const))('%s', async (_name, call) => {
  const [verdict, outcome] = await judge(call);
  verdicts.set(call, verdict);
  const corrected = call.meaning && correctCall(call, outcome.error);
  const [second] = corrected ? await judge(corrected) : [];
  if (second) corrections.set(call, second);
  const trace: SampleRecord = { verdict, second, args: call.args, ...outcome };
  if (process.env.SHOW_CALLS && verdict !== 'understood') console.log(JSON.stringify(trace).slice(0, 900));
  expect(trace).not.toMatchObject({ verdict: 'wrong' });
  expect(trace).not.toMatchObject({ second: 'wrong' });
});

test('no call is misunderstood, and as many are understood as docs/ai-agents.md says', () => {
  const counts = { understood: 0, refused: 0, unclear: 0, wrong: 0 };
  for (const verdict of verdicts.values()) counts[verdict]++;
  const count = (calls: ToolCall[], of: Map<ToolCall, Verdict>) =>
    calls.filter((call) => call.meaning && of.get(call) === 'understood').length;
  const meant = corpus.filter(({ meaning }) => meaning).length;
  const [atOnce, corrected] = [count(corpus, verdicts), count(corpus, corrections)];
  expect(counts).toMatchObject({ wrong: 0, unclear: 0 });
  expect(atOnce / meant).toBeGreaterThanOrEqual(MINIMUM_SHARES.atOnce);
  expect((atOnce + corrected) / meant).toBeGreaterThanOrEqual(MINIMUM_SHARES.corrected);

  const others = corpus.filter((call) => !notationCalls.includes(call) && !signCalls.includes(call));
  const toRow = (calls: ToolCall[]) => [
    calls.length,
    calls.filter(({ meaning }) => meaning).length,
    count(calls, verdicts),
    count(calls, corrections),
  ];
  const rows =
    readFileSync('docs/ai-agents.md', 'utf8').match(/^\| \d+ .*calls.*$|^\| \d+ filters.*$/gm) ?? [];
  const written = rows.map((row) =>
    row
      .split('|')
      .slice(1, 5)
      .map((cell) => Number.parseInt(cell, 10)),
  );
  expect(written).toEqual([notationCalls, signCalls, others].map(toRow));
});

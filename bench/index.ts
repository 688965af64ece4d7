/** `npm run bench`: everything side by side in one run; writes docs/benchmarks.md and its chart. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { openEngine } from './contenders/engine';
import { chart, table, times, type Scenario } from './report';
import { create } from './scenarios/create';
import { read } from './scenarios/read';
import { shared } from './scenarios/shared';
import { upsert } from './scenarios/upsert';
import { overhead, weight } from './scenarios/weight';

const DOCS = join(__dirname, '..', 'docs');
const mb = (value: number) => `${value.toFixed(0)} MB`;
const mark = (holds: boolean) => (holds ? '✓' : '✗');

const section = (scenario: Scenario) =>
  [
    `## ${scenario.title.split(':')[0]}`,
    scenario.text,
    table(scenario),
    scenario.targets.map(({ text, holds }) => `- ${mark(holds)} ${text}`).join('\n'),
  ].join('\n\n');

async function main() {
  const engine = await openEngine();
  const scenarios: Scenario[] = [];
  for (const measure of [read, create, upsert, overhead]) {
    scenarios.push(await measure(engine));
    console.log(`\n${section(scenarios.at(-1)!)}`);
  }
  await engine.stop();
  const both = await shared();
  console.log(`\n${section(both)}`);
  const { load, memory } = await weight();
  const light = [
    '## Load time and memory',
    [
      '| | |',
      '| --- | ---: |',
      `| loading all nodes and the credential, zod and luxon included | ${load.alone.toFixed(0)} ms |`,
      `| the same where n8n has loaded its libraries already (${load.files} files) | ${load.inN8n.toFixed(0)} ms |`,
      `| ${memory.records} records as JSON text | ${mb(memory.jsonMb)} |`,
      `| the same as parsed JSON on the heap | ${mb(memory.plainMb)} |`,
      `| the same as the output of Get Many on the heap | ${mb(memory.outputMb)} |`,
      `| most on the heap while reading, garbage included | ${mb(memory.peakMb)} |`,
    ].join('\n'),
    `- ${mark(memory.outputMb <= 1.5 * memory.plainMb)} memory stays near what the JSON itself needs: ${times(memory.outputMb / memory.plainMb)}`,
  ].join('\n\n');
  console.log(`\n${light}`);

  const intro = readFileSync(join(__dirname, 'intro.md'), 'utf8')
    .replace(
      '{machine}',
      `${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GB, Node ${process.version}, ${process.platform}`,
    )
    .trim();
  writeFileSync(join(DOCS, 'benchmarks.svg'), chart(scenarios));
  const sections = [...scenarios.map(section), section(both), light];
  const page = join(DOCS, 'benchmarks.md');
  const style = await resolveConfig(page);
  writeFileSync(page, await format([intro, ...sections].join('\n\n'), { ...style, filepath: page }));
  const missed = [...scenarios, both].flatMap(({ targets }) => targets).filter(({ holds }) => !holds);
  console.log(missed.length === 0 ? '\nAll targets hold.' : `\n${missed.length} targets missed.`);
}

void main().then(() => process.exit(0));

/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
/**
 * `npm run bench`: runs all scenarios with all contenders, and writes docs/development/benchmarks.md and its chart.
 * `npm run bench -- read overhead` runs the scenarios with these names, and writes nothing.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { openEngine } from './contenders/engine';
import { drawChart, formatFactor, formatTable, type Scenario } from './report';
import { measureBulkCreate } from './scenarios/bulkCreate';
import { measureCreate } from './scenarios/create';
import { measureNeighbours } from './scenarios/neighbours';
import { measureRead } from './scenarios/read';
import { measureSharedKey } from './scenarios/sharedKey';
import { measureSmallPlan } from './scenarios/smallPlan';
import { measureSync } from './scenarios/sync';
import { measureUnchanged } from './scenarios/unchanged';
import { measureUpsert } from './scenarios/upsert';
import { measureOverhead, measureWeight } from './scenarios/weight';

const DOCS = join(__dirname, '..', 'docs', 'development');
const formatMegabytes = (value: number) => `${value.toFixed(0)} MB`;
const formatMark = (holds: boolean) => (holds ? '✓' : '✗');

const SCENARIOS = {
  read: measureRead,
  create: measureCreate,
  bulkCreate: measureBulkCreate,
  upsert: measureUpsert,
  unchanged: measureUnchanged,
  smallPlan: measureSmallPlan,
  sync: measureSync,
  overhead: measureOverhead,
};

const formatSection = (scenario: Scenario) =>
  [
    `## ${scenario.title.split(':')[0]}`,
    scenario.text,
    formatTable(scenario),
    scenario.targets.map(({ text, holds }) => `- ${formatMark(holds)} ${text}`).join('\n'),
  ].join('\n\n');

async function main() {
  // Other work on the machine makes all times longer.
  const [loadAtStart] = loadavg();
  const engine = await openEngine();
  const scenarios: Scenario[] = [];
  const chosen = process.argv.slice(2);
  for (const [name, measure] of Object.entries(SCENARIOS)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    scenarios.push(await measure(engine));
    console.log(`\n${formatSection(scenarios.at(-1)!)}`);
  }
  if (chosen.length > 0) return;
  const neighbours = await measureNeighbours(engine);
  console.log(`\n${formatSection(neighbours)}`);
  await engine.stop();
  const sharedKey = await measureSharedKey();
  console.log(`\n${formatSection(sharedKey)}`);
  const { load, memory, syncMemory } = await measureWeight();
  const light = [
    '## Load time and memory',
    [
      '| | |',
      '| --- | ---: |',
      `| loading all nodes and the credential, zod and luxon included | ${load.alone.toFixed(0)} ms |`,
      `| the same where n8n has loaded its libraries already (${load.files} files) | ${load.inN8n.toFixed(0)} ms |`,
      `| ${memory.records} records as JSON text | ${formatMegabytes(memory.jsonMb)} |`,
      `| the same as parsed JSON on the heap | ${formatMegabytes(memory.plainMb)} |`,
      `| the same as the output of Get Many on the heap | ${formatMegabytes(memory.outputMb)} |`,
      `| most on the heap while reading, garbage included | ${formatMegabytes(memory.peakMb)} |`,
      `| most on the heap in a loop that reads them page by page, 200 a page, in ${memory.loopSeconds.toFixed(0)} s instead of ${memory.seconds.toFixed(0)} s | ${formatMegabytes(memory.loopMb)} |`,
      `| the items of a Sync of 100000 rows on the heap | ${formatMegabytes(syncMemory.inputMb)} |`,
      `| most on the heap while it runs, in addition to its items | ${formatMegabytes(syncMemory.liveMb)} |`,
      `| the same, garbage included | ${formatMegabytes(syncMemory.peakMb)} |`,
    ].join('\n'),
    `- ${formatMark(memory.outputMb <= 1.5 * memory.plainMb)} memory stays near what the JSON itself needs: ${formatFactor(memory.outputMb / memory.plainMb)}\n- ${formatMark(memory.loopMb <= 10)} a loop needs at most 10 MB, whatever the size of the table: ${formatMegabytes(memory.loopMb)}\n- ${formatMark(syncMemory.liveMb <= 90)} a Sync needs at most 90 MB in addition to its items: ${formatMegabytes(syncMemory.liveMb)}`,
  ].join('\n\n');
  console.log(`\n${light}`);

  const intro = readFileSync(join(__dirname, 'intro.md'), 'utf8')
    .replace(
      '{machine}',
      `${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GB, Node ${process.version}, ${process.platform}, load average ${loadAtStart!.toFixed(1)} at the start`,
    )
    .trim();
  writeFileSync(join(DOCS, 'benchmarks.svg'), drawChart(scenarios));
  const withoutBars = [neighbours, sharedKey];
  const sections = [...[...scenarios, ...withoutBars].map(formatSection), light];
  const page = join(DOCS, 'benchmarks.md');
  writeFileSync(page, [intro, ...sections].join('\n\n'));
  execFileSync('npx', ['--no-install', 'oxfmt', page]);
  const missed = [...scenarios, ...withoutBars]
    .flatMap(({ targets }) => targets)
    .filter(({ holds }) => !holds);
  console.log(missed.length === 0 ? '\nAll targets hold.' : `\n${missed.length} targets missed.`);
}

void main().then(() => process.exit(0));

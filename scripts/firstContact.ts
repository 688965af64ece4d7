/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
/**
 * `npm run first-contact`: asks for the address and the keys of a real service, and finds out what it does where its
 * documentation is silent. `docs/development/first-contact.md` explains it.
 */
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createFetchPort } from '../test/support/fetchPort';
import type { Values } from './firstContact/contact';
import { listenForDeliveries } from './firstContact/hook';
import { describePlan, formatJson, formatReport, runFirstContact } from './firstContact/run';

/** The fields of the credential, with their variables. A secret is not shown while it is typed. */
const FIELDS = [
  { name: 'baseUrl', variable: 'RECORD_DATABASE_URL', label: 'Base URL' },
  { name: 'appId', variable: 'RECORD_DATABASE_APP_ID', label: 'App ID' },
  { name: 'appKey', variable: 'RECORD_DATABASE_APP_KEY', label: 'App Key', isSecret: true },
  { name: 'appSecret', variable: 'RECORD_DATABASE_APP_SECRET', label: 'App Secret', isSecret: true },
  {
    name: 'headerPrefix',
    variable: 'RECORD_DATABASE_HEADER_PREFIX',
    label: 'Header Prefix',
    fallback: 'Service',
  },
];

/** Asks a question in the terminal. The answer to a secret one is not shown. */
function ask(label: string, isSecret = false): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout, terminal: isSecret });
  return new Promise((resolve) => {
    terminal.question(`${label}: `, (answer) => {
      terminal.close();
      if (isSecret) process.stdout.write('\n');
      resolve(answer.trim());
    });
    // What is typed is written through this method; the question itself is out already.
    if (isSecret)
      (terminal as unknown as { _writeToOutput(text: string): void })._writeToOutput = () => undefined;
  });
}

async function readCredential(): Promise<Values> {
  const values: Values = { userLogin: 'none' };
  for (const { name, variable, label, isSecret, fallback } of FIELDS) {
    const given =
      process.env[variable] ??
      (fallback === undefined ? await ask(`${label} (or ${variable})`, isSecret) : fallback);
    values[name] = given;
  }
  return values;
}

const USAGE = `npm run first-contact -- [options]
  --scratch-table NAME   also create and delete records in this table, which you made for it
  --json FILE            write the report as JSON, without secrets and data
  --hook-url URL         an address under which the service reaches this computer, for deliveries
  --hook-port N          the local port behind it (default 8088)
  --yes                  do not ask before the run starts`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'scratch-table': { type: 'string' },
      json: { type: 'string' },
      'hook-url': { type: 'string' },
      'hook-port': { type: 'string', default: '8088' },
      yes: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const scratchTable = values['scratch-table'];
  describePlan(scratchTable).forEach((line) => console.log(line));
  const credential = await readCredential();
  if (!values.yes && process.stdin.isTTY && !/^y(es)?$/i.test(await ask('Start? (y/n)'))) return;

  const stop = new AbortController();
  process.once('SIGINT', () => {
    console.log('\nStopping: deleting what was created …');
    stop.abort();
  });
  const url = values['hook-url'];
  const listener =
    url === undefined ? undefined : await listenForDeliveries(Number(values['hook-port']), url);
  const report = await runFirstContact({
    port: createFetchPort({ signal: stop.signal }),
    credential,
    scratchTable,
    hook: listener?.hook,
    print: console.log,
  });
  listener?.close();
  console.log(`\n${formatReport(report)}`);
  if (values.json !== undefined) writeFileSync(values.json, formatJson(report));
  process.exitCode = report.problem === undefined && report.left.length === 0 ? 0 : 1;
}

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});

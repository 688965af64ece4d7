/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listExamples } from '../../examples';
import { N8nApi } from '../n8nApi';
import { removeFolder } from '../removeFolder';
import { until } from '../until';

const ROOT = join(__dirname, '..', '..', '..');
const PORT = 19_400;
const SERVICE_PORT = 19_410;
const folder = mkdtempSync(join(tmpdir(), 'n8n-command-'));

/** Starts the script of `npm run n8n` with a separate user folder and ports. */
async function start(...more: string[]): Promise<{ command: ChildProcess; printed: () => string }> {
  const ports = ['--port', String(PORT), '--service-port', String(SERVICE_PORT)];
  // Does not use the command `tsx`, because it kills its child process 30 ms after a Ctrl-C.
  const args = ['--import', 'tsx', 'scripts/n8n.ts', ...ports, '--folder', folder, ...more];
  const command = spawn(process.execPath, args, { cwd: ROOT });
  let text = '';
  command.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  command.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await until('the address', () => text.includes('Ctrl-C') || command.exitCode !== null);
  return { command, printed: () => text };
}

async function pressCtrlC(command: ChildProcess): Promise<number | null> {
  const ended = once(command, 'exit');
  command.kill('SIGINT');
  return ((await ended) as [number | null])[0];
}

const answers = (port: number) =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );

const workflowNames = async (): Promise<string[]> => {
  const api = new N8nApi(`http://127.0.0.1:${PORT}`);
  await api.logIn();
  return (await api.workflows()).map(({ name }) => name);
};

afterAll(() => removeFolder(folder));

test('npm run n8n: everything in place, Ctrl-C leaves nothing, a second start keeps the workflows', async () => {
  const first = await start();
  expect(first.printed()).toContain(`http://127.0.0.1:${PORT}`);
  expect(first.printed()).toContain('owner@example.com');
  expect(await workflowNames()).toHaveLength(listExamples().length);
  const api = new N8nApi(`http://127.0.0.1:${PORT}`);
  await api.logIn();
  await api.createWorkflow({ name: 'My own', nodes: [], connections: {}, settings: {}, active: false });
  expect(await pressCtrlC(first.command)).toBe(0);
  expect([await answers(PORT), await answers(SERVICE_PORT)]).toEqual([false, false]);

  const second = await start();
  const names = await workflowNames();
  expect(names).toContain('My own');
  expect(names).toHaveLength(listExamples().length + 1);
  expect(await pressCtrlC(second.command)).toBe(0);
  expect([await answers(PORT), await answers(SERVICE_PORT)]).toEqual([false, false]);
});

test('npm run dev: a saved source is built, and n8n reloads the nodes', async () => {
  const source = join(ROOT, 'nodes', 'RecordDatabase', 'RecordDatabase.node.ts');
  const built = join(
    folder,
    '.n8n/nodes/node_modules/n8n-nodes-record-database/dist/nodes/RecordDatabase/RecordDatabase.node.js',
  );
  const { command, printed } = await start('--watch');
  const before = statSync(built).mtimeMs;
  utimesSync(source, new Date(), new Date());
  await until('the build', () => printed().includes('n8n reloads the nodes'));
  expect(statSync(built).mtimeMs).toBeGreaterThan(before);
  expect(await workflowNames()).toHaveLength(listExamples().length + 1);
  expect(await pressCtrlC(command)).toBe(0);
});

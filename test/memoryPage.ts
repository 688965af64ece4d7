/* eslint-disable @n8n/community-nodes/no-restricted-imports, @typescript-eslint/no-require-imports -- not shipped: runs on Node */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { listMemories } from '../nodes/service';

export const MEMORY_PAGE = 'docs/development/architecture.md';

const [START, END] = ['<!-- memory: start -->', '<!-- memory: end -->'];

const INTRODUCTION = `<!-- Written by \`npm run docs\` from the register in \`nodes/service/memory/memory.ts\`; do not edit by hand. -->
<!-- prettier-ignore-start -->

n8n loads the code once for all executions of a process. These values stay in memory between calls. All are lost when n8n
stops, and no result depends on them. Queues run tasks one after the other that would disturb each other.

Whose values are kept apart: **user** is everything in a credential that decides what it may see (base URL, header prefix,
app, key, secret, and the user with the password or token); **app** is base URL and App ID; **key** is base URL and App Key,
by which the service counts requests; **node** is a node of a workflow. Keys are hashes. A **client** exists for one execution of a node,
or for one load of a list; what is kept for it, or for another object, goes with it.
`;

/** Loads all shipped files, so that each memory is registered, and lists the memories by name. */
export function loadMemories() {
  const files = readdirSync('nodes', { recursive: true, encoding: 'utf8' });
  for (const file of files) if (file.endsWith('.ts')) require(resolve('nodes', file));
  return listMemories();
}

const formatRow = (cells: string[]) => `| ${cells.join(' | ')} |`;

/** The page of the documentation with the table of memories, as `npm run docs` writes it. */
export function formatMemoryPage(): string {
  const page = readFileSync(MEMORY_PAGE, 'utf8');
  const table = [
    INTRODUCTION,
    formatRow(['Name', 'What it holds', 'Kept apart by', 'Until']),
    formatRow(['---', '---', '---', '---']),
    ...loadMemories().map(({ name, holds, per, until }) => formatRow([`\`${name}\``, holds, per, until])),
    '',
    '<!-- prettier-ignore-end -->',
  ].join('\n');
  const [before, rest = ''] = page.split(START);
  return `${before}${START}\n${table}\n${END}${rest.split(END)[1]}`;
}

/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const OXFMT = join('node_modules', '.bin', 'oxfmt');

const format = (source: string) =>
  spawnSync(OXFMT, ['--stdin-filepath', 'nodes/file.ts'], { input: source, encoding: 'utf8' }).stdout;

test('imports are ordered: Node, packages, other folders, this folder', () => {
  const ordered = [
    "import { join } from 'node:path';",
    "import { z } from 'zod';",
    "import { b } from '../b';",
    "import { a } from './a';\n",
  ];
  expect(format(ordered.toReversed().join('\n'))).toBe(ordered.join('\n'));
});

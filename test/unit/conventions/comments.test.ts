/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Words that comments of earlier versions used as metaphors. Code does not ask, tell, believe, know or promise
 * anything: it requests, returns, assumes, stores and ensures.
 */
const METAPHORS =
  /\b(asks?|asking|tells?|believes?|promises|knows|remembers|forgets|swallows?|puts? out|for good|under way|worked out|hopeless|genuine|forged|whatever|'s matter|is no \w+, but)\b/i;

const sources = ['nodes', 'credentials'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

const listComments = (file: string): string[] =>
  readFileSync(file, 'utf8').match(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm) ?? [];

test('a comment uses no metaphor of earlier versions', () => {
  const comments = sources.flatMap((file) => listComments(file).map((text) => `${file}: ${text.trim()}`));
  expect(comments).not.toEqual([]);
  expect(comments.filter((comment) => METAPHORS.test(comment))).toEqual([]);
});

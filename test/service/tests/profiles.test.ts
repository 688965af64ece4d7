/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultOptions } from '../options';
import { PROFILES } from '../profiles';
import { openService } from './client';

const README = readFileSync(join(__dirname, '..', 'README.md'), 'utf8');
const ROOT = join(__dirname, '..', '..', '..');

/** The rows of the table of options in the README. */
const rows = README.split('\n')
  .map((line) => /^\| `(\w+)` +\|(.*)\|(.*)\|(.*)\|(.*)\|$/.exec(line)?.slice(1))
  .filter((row) => row !== undefined)
  .map(([name = '', value = '', meaning = '', evidence = '', bites = '']) => ({
    name,
    value: value.trim(),
    meaning: meaning.trim(),
    evidence: evidence.trim(),
    tests: [...bites.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
  }));

test('the README says for each option of the profile what it stands for, and how strong the evidence is', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(PROFILES.met).sort());
  expect(rows.filter(({ evidence }) => !['strong', 'some', 'inferred'].includes(evidence))).toEqual([]);
  const values: Record<string, unknown> = PROFILES.met;
  const wrong = rows.filter(({ name, value }) => !value.startsWith(`\`${formatValue(values[name])}\``));
  expect(wrong).toEqual([]);
});

const formatValue = (value: unknown) => (value === '' ? '""' : String(value));

test('the tests that the README names exist', () => {
  const named = rows.flatMap(({ tests }) => tests);
  expect(named.filter((file) => !existsSync(join(ROOT, 'test', file)))).toEqual([]);
});

test('a profile sets options that exist, and a service without one is as documented', async () => {
  expect(Object.keys(PROFILES.met).filter((name) => !(name in defaultOptions))).toEqual([]);
  const { service } = await openService({ sample: 'empty' });
  await service.stop();
  expect(service.options).toMatchObject({
    ...defaultOptions,
    perMinute: 100_000,
    perDay: 100_000,
    sample: 'empty',
  });
});

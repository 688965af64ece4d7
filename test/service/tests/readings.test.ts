/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { listReadings, type ReadingName, READINGS } from '..';
import { defaultOptions } from '../options';
import { openService } from './client';

const NAMES = Object.keys(READINGS) as ReadingName[];

test.each(NAMES)('%s: the first value is the default, and there is another one', (name) => {
  const [first, ...others] = READINGS[name].values as readonly unknown[];
  expect(first).toEqual(defaultOptions[name]);
  expect(others.length).toBeGreaterThan(0);
  expect(READINGS[name].section).not.toBe('');
});

test('readings are listed one at a time, after the default', () => {
  expect(listReadings('createAnswer', 'pdfResponse')).toEqual([
    ['default', {}],
    ['createAnswer: "none"', { createAnswer: 'none' }],
    ['pdfResponse: "binary"', { pdfResponse: 'binary' }],
    ['pdfResponse: "base64"', { pdfResponse: 'base64' }],
  ]);
});

test('a changed reading stays with its service', async () => {
  const { service } = await openService({ sample: 'empty' });
  service.options.statusWords.executionEnded = 'other';
  await service.stop();
  expect(defaultOptions.statusWords.executionEnded).toBe('complete');
});

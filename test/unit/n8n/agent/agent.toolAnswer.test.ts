import type { IDataObject } from 'n8n-workflow';
import { limitColumns, shortenAnswer } from '../../../../nodes/n8n/agent/agent';

const listColumns = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index + 1}`, index]));

test('a text of up to 300 characters stays whole, a longer one ends in its length', () => {
  const [item] = shortenAnswer([{ json: { fits: 'x'.repeat(300), long: 'x'.repeat(301) } }]);
  expect(item!.json).toEqual({
    fits: 'x'.repeat(300),
    long: `${'x'.repeat(300)}… [cut, 301 characters]`,
  });
});

test('texts in lists and objects are cut too, other values stay', () => {
  const long = 'y'.repeat(400);
  const cut = `${'y'.repeat(300)}… [cut, 400 characters]`;
  const values = { n: 1, no: false, none: null };
  const [item] = shortenAnswer([
    { json: { list: [long, { in: long }], ...values }, pairedItem: { item: 3 } },
  ]);
  expect(item).toEqual({ json: { list: [cut, { in: cut }], ...values }, pairedItem: { item: 3 } });
});

test('texts and numbers under other keys than the plain ones are hidden at every depth', () => {
  const json = { token: 'abc', user: { codes: [1, 'def'], mail: 'a@b.c' }, type: 'success', valid: true };
  const [hidden] = shortenAnswer([{ json }], { shownKeys: new Set(['type', 'mail']) });
  expect(hidden!.json).toEqual({
    token: '•••',
    user: { codes: ['•••', '•••'], mail: 'a@b.c' },
    type: 'success',
    valid: true,
  });
  expect(shortenAnswer([{ json }])[0]!.json).toEqual(json);
});

test('an error item shows its error, and another answer hides the same keys', () => {
  const shownKeys = new Set(['type']);
  const show = (json: object) => shortenAnswer([{ json: json as never }], { shownKeys })[0]!.json;
  const failed = { error: 'The service refused the login', message: 'Check the password.' };
  expect(show(failed)).toEqual(failed);
  expect(show({ type: 'success', message: 'open secret', data: { error: 'secret' } })).toEqual({
    type: 'success',
    message: '•••',
    data: { error: '•••' },
  });
  expect(show({ message: 'secret' })).toEqual({ message: '•••' });
});

test('the first ten columns of a record are kept, with its ID and what the node added', () => {
  const json = { id: 'r1', ...listColumns(12), _total: 40 };
  const [first, second] = limitColumns([{ json }, { json }]);
  expect(first!.json).toEqual({ id: 'r1', ...listColumns(10), _total: 40, _moreColumns: ['c11', 'c12'] });
  expect(second!.json).toEqual({ id: 'r1', ...listColumns(10), _total: 40 });
});

test('a record of ten columns is returned as it is', () => {
  const outputs = [{ json: { id: 'r1', ...listColumns(10), _total: 1 } }];
  expect(limitColumns(outputs)).toEqual(outputs);
});

describe('a long answer', () => {
  const measure = (items: object[]) => JSON.stringify(items).length / 2.4;
  const shorten = (values: object[], tokens?: number) =>
    shortenAnswer(
      values.map((json) => ({ json: json as IDataObject })),
      { tokens },
    ).map(({ json }) => json);
  const record = (index: number) => ({ id: `r${index}`, name: `Record ${index}`, price: index });

  test.each<[string, object[]]>([
    ['many small items', Array.from({ length: 5000 }, (_, index) => record(index))],
    [
      'a list of 10,000 choices',
      [
        {
          slug: 'a',
          options: Array.from({ length: 10_000 }, (_, n) => ({ label: `L${n}`, value: `v${n}` })),
        },
      ],
    ],
    ['an object of 2,000 keys', [listColumns(2000)]],
    [
      'lists in lists',
      [
        {
          a: Array.from({ length: 40 }, () =>
            Array.from({ length: 40 }, () => Array.from({ length: 40 }, () => 'x'.repeat(90))),
          ),
        },
      ],
    ],
    [
      'long texts',
      Array.from({ length: 30 }, (_, index) => ({
        ...record(index),
        a: 'x'.repeat(9000),
        b: 'y'.repeat(9000),
        c: 'z'.repeat(9000),
        d: 'z'.repeat(9000),
      })),
    ],
    ['signs that JSON escapes', [{ a: '\u0001"'.repeat(4000) }, { a: '\u0001"'.repeat(4000) }]],
  ])('has at most the given tokens, with a mark in the first item: %s', (_name, values) => {
    for (const tokens of [undefined, 500, 10_000]) {
      const answer = shorten(values, tokens);
      expect(measure(answer)).toBeLessThanOrEqual(tokens ?? 2000);
      const isCut =
        answer.length < values.length || JSON.stringify(answer).length < JSON.stringify(values).length;
      const [first] = answer;
      expect(isCut).toBe(true);
      expect(
        Object.keys(first!).some((key) => key === '_cut') || JSON.stringify(first).includes('[cut, '),
      ).toBe(true);
    }
  });

  test('says how many items are shown and how to see others', () => {
    const answer = shorten(Array.from({ length: 5000 }, (_, index) => record(index)));
    expect(answer[0]!._cut).toBe(
      `${answer.length} of 5000 items are shown: an answer has at most about 2000 tokens. To see others, give a filter that matches fewer records, or fewer fields.`,
    );
    expect(answer.length).toBeGreaterThan(50);
    expect(answer[1]).toEqual(record(1));
  });

  test('of few large items, lists are cut before items are left out', () => {
    const fields = Array.from({ length: 8 }, (_, index) => ({
      slug: `f${index}`,
      options: Array.from({ length: 300 }, (_, n) => ({ label: `Label ${n}`, value: `v${n}` })),
    }));
    const answer = shorten(fields);
    expect(answer).toHaveLength(8);
    expect(answer[0]!._cut).toMatch(/^Lists and texts are cut: /);
    expect((answer[7]!.options as unknown[]).at(-1)).toMatch(/^… \[cut, \d+ more of 300\]$/);
  });
});

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

test('texts under secret keys are hidden at every depth, and only these', () => {
  const json = { token: 'abc', user: { login_token: 'def', mail: 'a@b.c' }, tokens: 2 };
  const [hidden] = shortenAnswer([{ json }], /token/);
  expect(hidden!.json).toEqual({ token: '•••', user: { login_token: '•••', mail: 'a@b.c' }, tokens: 2 });
  expect(shortenAnswer([{ json }])[0]!.json).toEqual(json);
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

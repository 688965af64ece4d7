import { skipWaits } from '../../environment/skipWaits';
import type { Table } from '../../service';
import { findSampleIds, runOperation } from '../support/runOperation';
import { getOutput, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

skipWaits();

const env = useTestEnvironment();
let table: Table;
beforeAll(() => {
  table = env.service.addTable({ name: 'Pages', fields: [{ name: 'Number', type: 'Number' }] });
  for (let number = 0; number < 1000; number++) table.insert({ number });
});

/** Reads a page. Returns the output and the number of requests that read records. */
async function readPage(startPage: number | string, limit: number, options: object = {}, more: object = {}) {
  const before = env.service.requests.length;
  const run = await env.runRecordOperation('getAll', table, {
    returnAll: false,
    limit,
    options: { startPage, ...options },
    ...more,
  });
  const requests = env.listRequests(before).filter((pattern) => pattern.endsWith('/records')).length;
  return { run, requests, numbers: run.error ? [] : getOutput(run).map(({ number }) => number) };
}

const countFrom = (start: number, end: number) => Array.from({ length: end - start }, (_, i) => start + i);

test('every page is one request, and together they are the table', async () => {
  const pages = [1, 2, 3, 4, 5, 6, 7];
  const found = [];
  for (const page of pages) found.push(await readPage(page, 150));
  expect(found.flatMap(({ numbers }) => numbers)).toEqual(countFrom(0, 1000));
  expect(found.map(({ requests }) => requests)).toEqual(pages.map(() => 1));
  expect(found.at(-1)!.numbers).toEqual(countFrom(900, 1000));
});

test('Include Total adds the page and the number of pages', async () => {
  const { run } = await readPage(3, 150, { includeTotal: true });
  expect(getOutput(run)[0]).toMatchObject({ number: 300, _total: 1000, _page: 3, _pages: 7 });
  expect(Object.keys(getOutput((await readPage(3, 150)).run)[0]!)).not.toContain('_page');
});

test('a page behind the end has no records', async () => {
  const found = await readPage(8, 150);
  expect([found.numbers, found.requests]).toEqual([[], 1]);
});

test.each([
  [2, 400, 400, 800],
  [3, 400, 800, 1000],
  [2, 300, 300, 600],
  [2, 250, 250, 500],
])('page %i of %i records is read in several requests', async (page, limit, start, end) => {
  expect((await readPage(page, limit)).numbers).toEqual(countFrom(start, end));
});

test('a limit that only small pages divide is refused before any request', async () => {
  const { run, requests } = await readPage(2, 211);
  expect(run.error?.message).toBe('Limit cannot be 211 with Start Page');
  expect(requests).toBe(0);
});

test('Return All by an expression is refused', async () => {
  const { run } = await readPage(2, 100, {}, { returnAll: '={{ true }}' });
  expect(run.error?.message).toBe('Start Page needs a Limit: a page has as many entries as Limit');
});

test('a filter takes the same option', async () => {
  const run = await env.runRecordOperation('getAll', table, {
    returnAll: false,
    limit: 100,
    conditions: {
      items: [{ field: 'number|number', operator: 'higher than or equal to', numberValue: 500 }],
    },
    options: { startPage: 5, includeTotal: true },
  });
  expect(getOutput(run).map(({ number }) => number)).toEqual(countFrom(900, 1000));
  expect(getOutput(run)[0]).toMatchObject({ _total: 500, _page: 5, _pages: 5 });
});

test('the records of a component', async () => {
  const { pageId, componentId } = await findSampleIds(env);
  const read = async (more: object) =>
    getOutput(
      await runOperation(env, 'RecordDatabasePages', {
        resource: 'component',
        operation: 'getRecords',
        pageId: toLocator(pageId!),
        componentId: toLocator(componentId!),
        ...more,
      }),
    );
  const all = await read({ returnAll: true });
  const count = Math.ceil(all.length / 20);
  const pages = [];
  for (let startPage = 1; startPage <= count; startPage++) {
    pages.push(await read({ limit: 20, options: { startPage, includeTotal: true } }));
  }
  expect(count).toBeGreaterThan(2);
  expect(pages.flat().map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  expect(pages.at(-1)![0]).toMatchObject({ _total: all.length, _page: count, _pages: count });
  expect(await read({ limit: 20, options: { startPage: count + 1 } })).toEqual([]);
});

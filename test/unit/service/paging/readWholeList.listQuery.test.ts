import { readWholeList } from '../../../../nodes/service';
import { findPageSize } from '../../../../nodes/service/paging/pageRanges';
import { ChangingList, readFast } from './changingList';

const getId = ({ id }: { id: string }) => id;
const READERS = { readFast, readWholeList };

describe.each(Object.entries(READERS))('%s', (_, read) => {
  const readPage = async (list: ChangingList, startPage: number, limit: number, fetchPage = list.fetch) =>
    read({ fetchPage, getId, limit, startPage, concurrency: 4 });

  test.each([
    [100, 10],
    [100, 7],
    [2000, 200],
    [2000, 300],
    [2000, 1000],
  ])('the pages of a list of %i records, %i a page', async (count, limit) => {
    const list = new ChangingList(count);
    const found = [];
    for (let page = 1; page <= Math.ceil(count / limit) + 1; page++) {
      found.push(...(await readPage(list, page, limit)));
    }
    expect(found).toEqual(list.rows);
    expect(list.calls.filter(([page]) => !Number.isInteger(page))).toEqual([]);
  });

  test.each([
    [2, 200],
    [3, 50],
  ])('page %i, which has %i records, is read once', async (startPage, length) => {
    const list = new ChangingList(450);
    expect(await readPage(list, startPage, 200)).toHaveLength(length);
    expect(list.calls).toEqual([[startPage, 200]]);
  });

  test('a service that returns fewer records than requested', async () => {
    const list = new ChangingList(450);
    const fetchPage = (page: number, size: number) => list.fetch(page, Math.min(size, 100));
    expect(await readPage(list, 2, 200, fetchPage)).toEqual(list.rows.slice(200, 400));
    expect(await readPage(list, 3, 200, fetchPage)).toEqual(list.rows.slice(400));
    expect(await readPage(list, 4, 200, fetchPage)).toEqual([]);
    const fetchOddPage = (page: number, size: number) => list.fetch(page, Math.min(size, 30));
    await expect(readPage(list, 2, 200, fetchOddPage)).rejects.toMatchObject({
      message:
        'The service returns 30 records a page, so the page that begins after 200 records cannot be read',
      description: 'Choose a limit that is a multiple of 30.',
    });
  });
});

test('the first page is not read again if the service returns fewer records than requested', async () => {
  const list = new ChangingList(250);
  const fetchPage = (page: number, size: number) => list.fetch(page, Math.min(size, 100));
  expect(await readFast({ fetchPage, getId, limit: Infinity, concurrency: 1 })).toEqual(list.rows);
  expect(list.calls).toEqual([1, 2, 3].map((page) => [page, 100]));
});

test.each([0, -1])('a limit of %i needs no request', async (limit) => {
  for (const read of Object.values(READERS)) {
    const list = new ChangingList(10);
    expect(await read({ fetchPage: list.fetch, getId, limit, concurrency: 1 })).toEqual([]);
    expect(list.calls).toEqual([]);
  }
});

test('the size of the pages divides the limit', () => {
  expect([1, 200, 211, 250, 300, 1000].map(findPageSize)).toEqual([1, 200, 1, 125, 150, 200]);
});

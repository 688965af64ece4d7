import { readWholeList } from '../../../../nodes/service';
import { ChangingList, changeAfter } from './changingList';

const getId = ({ id }: { id: string }) => id;
const one = { limit: Infinity, concurrency: 1, getId };

test('a record that was deleted during the first reading is not returned', async () => {
  const list = new ChangingList(
    1_000,
    changeAfter(1, (rows) => rows.delete(0)),
  );
  expect(await readWholeList({ ...one, fetchPage: list.fetch })).toEqual(list.rows);
});

test('a record that only the first of two readings found is returned at the end', async () => {
  let readings = 0;
  const list = new ChangingList(1_000, (rows) => {
    if (rows.calls.at(-1)![0] !== 1) return;
    readings++;
    if (readings === 1) rows.insert(0);
    // The record is now before the pages that the second reading has yet to read.
    if (readings === 2) rows.move(rows.rows.length - 1, 0);
  });
  const found = await readWholeList({ ...one, fetchPage: list.fetch });
  expect(found.map(getId)).toEqual(['r20000', ...list.unchangedIds]);
  expect(readings).toBe(2);
});

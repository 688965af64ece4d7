import { listRecordFiles } from '../../../../../nodes/RecordDatabase/resources/record/columns';
import type { Field } from '../../../../../nodes/records';

test('the first file of a column has the slug as its name, whatever further files other columns hold', () => {
  const fields = ['photo', 'photo_2'].map((slug) => ({ slug }) as Field);
  const values: Record<string, string[]> = { photo: ['/a', '/b', '/c'], photo_2: ['/d', '/e'] };
  const files = listRecordFiles(fields, ({ slug }) => values[slug]);
  expect(files.map(({ name, address }) => [name, address])).toEqual([
    ['photo', '/a'],
    ['photo_3', '/b'],
    ['photo_4', '/c'],
    ['photo_2', '/d'],
    ['photo_2_2', '/e'],
  ]);
});

import { findEarlierValues, pickShortValues } from '../../../../nodes/n8n/trigger/triggerItem';
import { parseField } from '../../records/fields/fieldTools';

const fields = [
  ['status', 'Text'],
  ['who', 'Connection'],
  ['who_tag', 'Text'],
  ['name', 'Name'],
].map(([slug, type]) => parseField({ slug, name: slug, type }));

const record = {
  id: 'r',
  status: 'Open',
  who: ['a'],
  who_val: [{ id: 'a', val: 'Ada' }],
  who_tag: 'x',
  name: { first_name: 'Ada' },
};

test('the values of watched fields come back with all their keys', () => {
  const stored = pickShortValues(record, ['status', 'who', 'name'], fields);
  expect(findEarlierValues(stored, ['status'], fields)).toEqual({ status: 'Open' });
  expect(findEarlierValues(stored, ['who'], fields)).toEqual({ who: ['a'], who_val: record.who_val });
  expect(findEarlierValues(stored, ['name'], fields)).toEqual({ name: { first_name: 'Ada' } });
});

test('what was not stored is null: another field, a long value, a record without the field', () => {
  const long = pickShortValues({ ...record, status: 'x'.repeat(200) }, ['status', 'who'], fields);
  expect(findEarlierValues(long, ['status', 'who_tag'], fields)).toEqual({ status: null, who_tag: null });
  expect(pickShortValues({ id: 'r' }, ['status'], fields)).toEqual({});
  expect(findEarlierValues({}, ['status', 'who'], fields)).toEqual({ status: null, who: null });
});

test('an empty value is no unknown one', () => {
  const stored = pickShortValues({ id: 'r', status: '' }, ['status'], fields);
  expect(findEarlierValues(stored, ['status'], fields)).toEqual({ status: '' });
});

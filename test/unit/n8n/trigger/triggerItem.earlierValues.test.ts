import { findEarlierValues, formatValues } from '../../../../nodes/n8n/trigger/triggerItem';
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
  const text = formatValues(record, ['status', 'who', 'name'], fields);
  expect(findEarlierValues(text, ['status'], fields)).toEqual({ status: 'Open' });
  expect(findEarlierValues(text, ['who'], fields)).toEqual({ who: ['a'], who_val: record.who_val });
  expect(findEarlierValues(text, ['name'], fields)).toEqual({ name: { first_name: 'Ada' } });
});

test('what was not stored is null: another field, a long value, a record without the field', () => {
  const long = formatValues({ ...record, status: 'x'.repeat(200) }, ['status', 'who'], fields);
  expect(findEarlierValues(long, ['status', 'who_tag'], fields)).toEqual({ status: null, who_tag: null });
  expect(formatValues({ id: 'r' }, ['status'], fields)).toBe('');
  for (const text of ['', undefined])
    expect(findEarlierValues(text, ['status', 'who'], fields)).toEqual({ status: null, who: null });
});

test('an empty value is no unknown one', () => {
  const text = formatValues({ id: 'r', status: '' }, ['status'], fields);
  expect(findEarlierValues(text, ['status'], fields)).toEqual({ status: '' });
});

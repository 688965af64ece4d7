import { createItemConverter, keepColumns, Table } from '../../../../nodes/records';
import { parseField } from './fieldTools';

describe('the output', () => {
  const createField = (slug: string, name: string, type = 'Text') => parseField({ slug, name, type });
  const fields = [
    createField('who', 'Who', 'Connection'),
    createField('name', 'Full Name', 'Name'),
    createField('term', 'Term', 'Calendar'),
    createField('name_val', 'Odd'),
  ];
  const nameKeys = (all: typeof fields) =>
    createItemConverter({ simplified: false, displayNames: true }, new Table('t', all));
  const record = {
    id: 'r',
    who: ['a'],
    who_val: [],
    name: { title: 'Dr' },
    term: { start: 'x' },
    name_val: 1,
    created_at: 'c',
    unknown: 2,
  };

  test('chosen fields include their texts and the id', () => {
    expect(keepColumns(record, ['who', 'name'], fields)).toEqual({
      id: 'r',
      who: ['a'],
      who_val: [],
      name: { title: 'Dr' },
    });
    expect(keepColumns(record, ['created_at', 'term'], fields)).toEqual({
      id: 'r',
      term: { start: 'x' },
      created_at: 'c',
    });
  });

  test('a chosen field does not include a field whose slug begins with its slug', () => {
    const plain = [createField('name', 'Name'), createField('created_at', 'Made At')];
    const other = { id: 'r', 'name[title]': 1, name__start: 2, name_tag: 3, created_at: 'c' };
    expect(keepColumns(other, ['name'], plain)).toEqual({ id: 'r' });
    expect(nameKeys(plain)(other)).toEqual(other);
  });

  test('display names', () => {
    expect(nameKeys(fields)(record)).toEqual({
      id: 'r',
      Who: ['a'],
      Who_val: [],
      'Full Name': { title: 'Dr' },
      Term: { start: 'x' },
      Odd: 1,
      created_at: 'c',
      unknown: 2,
    });
  });
});

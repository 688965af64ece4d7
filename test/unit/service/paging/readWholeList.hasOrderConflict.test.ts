import { hasOrderConflict } from '../../../../nodes/service/paging/readWholeList';

const split = (...lists: string[]) => lists.map((list) => list.split(''));

test.each([
  ['nothing', []],
  ['one list', split('abc')],
  ['neighbours that overlap', split('abc', 'cde')],
  ['insertions and deletions', split('abcd', 'axbd', 'dyz')],
  ['a record that a page shows twice', split('abab')],
])('%s: one order fits all', (_, sequences) => expect(hasOrderConflict(sequences)).toBe(false));

test.each([
  ['two that changed places', split('ab', 'ba')],
  ['one that moved behind, by way of others', split('arb', 'bcd', 'dre')],
  ['one that moved to the front', split('bcd', 'der', 'rab')],
  ['two that changed places, and one whose ID is empty', [['', 'x'], ...split('ab', 'ba')]],
])('%s: no order fits all', (_, sequences) => expect(hasOrderConflict(sequences)).toBe(true));

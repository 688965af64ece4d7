import { type FilterTree, hasRecordNames, Table } from '../../../../nodes/records';
import { findComparedConnection } from '../../../../nodes/records/connections/resolveFilter';
import { toField } from '../../../../nodes/records/fields/kinds';
import { type Condition } from '../../../../nodes/records/filter/tree';

const who = toField({
  slug: 'who',
  name: 'Who',
  type: 'Connection',
  join: { join_type: '1-to-N', data_table_id: 'tBl01x' },
});
// A connection whose table the service does not name.
const owner = toField({ slug: 'owner', name: 'Owner', type: 'Connection' });
const label = toField({ slug: 'label', name: 'Label', type: 'Text' });
const table = new Table('t', [who, owner, label]);

const createTree = (conditions: Condition[], groups: FilterTree[] = []): FilterTree => ({
  match: 'all',
  conditions,
  groups,
});

test.each([
  ['who', 'is', 'who'],
  ['who', 'is not', 'who'],
  ['who', 'contains', 'who'],
  ['who', '=', 'who'],
  ['who', '!=', 'who'],
  ['who', 'is any of', 'who'],
  ['who', '=', 'who'],
  ['who', 'is blank', undefined],
  ['label', 'is', undefined],
  ['unknown', 'is', undefined],
])('%s %s compares with a record: %s', (name, operator, slug) => {
  expect(findComparedConnection(table, { field: name, operator })?.slug).toBe(slug);
});

test.each<[string, FilterTree, boolean]>([
  ['a name', createTree([{ field: 'who', operator: 'is', value: 'Ada Lovelace' }]), true],
  ['an ID', createTree([{ field: 'who', operator: 'is', value: 'x', notation: 'ids' }]), false],
  [
    'a name in a group',
    createTree([], [createTree([{ field: 'who', operator: 'is', value: 'Ada L' }])]),
    true,
  ],
  ['another field', createTree([{ field: 'label', operator: 'is', value: 'Ada Lovelace' }]), false],
  ['nothing', createTree([]), false],
  // The IDs of an application have the form of its table IDs.
  ['a text like an ID', createTree([{ field: 'who', operator: 'is', value: 'rEb02yQ7Kp' }]), false],
  [
    'two texts like IDs',
    createTree([{ field: 'who', operator: 'is', value: 'rEb02yQ7Kp, rEb03yQ7Kp' }]),
    false,
  ],
  ['an ID and a name', createTree([{ field: 'who', operator: 'is', value: 'rEb02yQ7Kp, Ada' }]), true],
  ['{id}', createTree([{ field: 'who', operator: 'is', value: { id: 'Ada' } }]), false],
  [
    'a name like an ID',
    createTree([{ field: 'who', operator: 'is', value: 'rEb02yQ7Kp', notation: 'names' }]),
    true,
  ],
  [
    'a text for an unknown table',
    createTree([{ field: 'owner', operator: 'is', value: 'rEb02yQ7Kp' }]),
    false,
  ],
])('%s has names to look up: %p', (_, tree, expected) => {
  expect(hasRecordNames(tree, table)).toBe(expected);
});

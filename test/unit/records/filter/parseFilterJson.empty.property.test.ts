import fc from 'fast-check';
import { parseFilterJson, Table } from '../../../../nodes/records';
import { buildFilter } from '../../../../nodes/records/filter/buildFilter';
import { InputError } from '../../../../nodes/service';
import { createSeed, scaleRuns } from '../../../randomness';
import { parseField } from '../fields/fieldTools';

/**
 * A filter has all of its members, or it is refused. One that an expression left empty, dropped in silence, would let the
 * others select more records.
 */

const TABLE = new Table(
  't',
  ['a', 'b', 'c'].map((slug) => parseField({ slug, type: 'Text' })),
);
const CONTEXT = { timeZone: 'UTC', now: new Date(0), hasUserLogin: false };
const build = (json: unknown) => buildFilter(parseFilterJson(json), TABLE, CONTEXT);

/** What an expression that found nothing leaves in the place of a member: an object, a list, or a comparison with nothing. */
const EMPTY = [
  {},
  [],
  [{}],
  { items: [] },
  { child: [] },
  { and: [] },
  { a: [] },
  { a: { 'is any of': '[""]' } },
  { a: { $in: [] } },
  { a: { contains_any: '' } },
];
const empty = fc.constantFrom<unknown>(...EMPTY);

const condition: fc.Arbitrary<unknown> = fc.constantFrom(
  { a: 'x' },
  { b: ['x', 'y'] },
  { c: { $in: ['x'] } },
  { field_id: 'a', operator: 'is', val: 'x' },
);

/** Puts members into one of the forms that join them, around `one` at any position. */
const around = (one: fc.Arbitrary<unknown>) =>
  fc
    .tuple(one, fc.array(condition, { maxLength: 2 }), fc.nat({ max: 2 }), fc.nat({ max: 4 }))
    .map(([member, others, position, form]): unknown => {
      const members = [...others.slice(0, position), member, ...others.slice(position)];
      return [members, { and: members }, { or: members }, { $and: members, b: 'x' }, { child: members }][
        form
      ];
    });

const { tree: withEmpty } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof({ maxDepth: 3 }, around(empty), around(tie('tree'))),
}));
const { tree: whole } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof({ maxDepth: 3 }, condition, around(tie('tree'))),
}));

test('a filter with a member that holds nothing is refused, wherever the member stands', () => {
  fc.assert(
    fc.property(withEmpty, (json) => {
      expect(() => build(json)).toThrow(InputError);
    }),
    { seed: createSeed(), numRuns: scaleRuns(20_000) },
  );
});

test('a filter whose members all hold something is accepted', () => {
  fc.assert(
    fc.property(whole, (json) => {
      expect(() => build(json)).not.toThrow();
    }),
    { seed: createSeed(), numRuns: scaleRuns(4_000) },
  );
});

import { AUTO_MAP, getOutput } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/** "Look Up, Create Missing": spellings of one name (design of keys: blanks, composition, characters without a width). */

const env = useTestEnvironment({ sample: 'empty' });
let count = 0;

const SPELLINGS = [
  ['Cafe\u0301', 'Caf\u00E9'],
  ['Big  Co', 'Big Co'],
  ['a\u200Bb', 'ab'],
];

test.each(SPELLINGS.flatMap(([one, other]) => [[[one], [other]], [[one, other]]]))(
  'the items %j and %j make one record',
  async (...lists) => {
    const firms = env.service.addTable({
      name: `Firms ${++count}`,
      fields: [{ name: 'Title', type: 'Text' }],
    });
    const table = env.service.addTable({
      name: `Jobs ${count}`,
      fields: [
        { name: 'Key', type: 'Text' },
        { name: 'Firms', type: 'Connection', to: firms.name, many: true },
      ],
    });
    const items = lists.flatMap((names, n) => (Array.isArray(names) ? [{ key: `k${n}`, firms: names }] : []));
    const options = { connectedRecords: 'detectOrCreate' };
    getOutput(await env.runRecordOperation('create', table, { columns: AUTO_MAP, options }, items));
    expect([...firms.records.values()].map(({ title }) => title)).toHaveLength(1);
  },
);

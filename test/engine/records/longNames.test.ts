import { scaleSize } from '../../randomness';
import type { FieldDefinition } from '../../service/data/field';
import { runOperation } from '../support/runOperation';
import { AUTO_MAP, getOutput } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/**
 * Names of tables, fields and choices of 5,000 characters, with spaces and without. An error shows their first
 * characters only: otherwise a name fills the screen, or the context of a model, and the remedy is cut off.
 */

const env = useTestEnvironment({ sample: 'empty' });

const TYPES: FieldDefinition['type'][] = [
  'Text',
  'Email',
  'Number',
  'Decision Box',
  'Date',
  'Time',
  'Date-Time',
  'Calendar',
  'Name',
  'Address',
  'Select',
  'Multi-select',
  'Checkbox',
  'File',
  'Connection',
];

/** A name that no other field has, of one word or of many. */
const createName = (start: string, index: number) =>
  `${start} ${['word ', 'x'][index % 2]!.repeat(5000).slice(0, 5000)}`.trim();

function addLongTable() {
  const number = env.service.tables.length;
  const parent = env.service.addTable({
    name: createName(`P${number}`, number),
    fields: [{ name: createName('Title', number), slug: 'title', type: 'Text' }],
  });
  return env.service.addTable({
    name: createName(`T${number}`, number),
    fields: TYPES.map((type, index) => ({
      name: createName(type, index),
      slug: `f${index}`,
      type,
      ...(index === 0 && { unique: true, required: true }),
      ...(type === 'Connection' && { to: parent.name, many: true }),
      options: ['Select', 'Multi-select', 'Checkbox'].includes(type)
        ? [0, 1, 2].map((option) => `v${option}: ${createName(`C${option}`, option)}`)
        : [],
    })),
  });
}

interface Failure {
  message?: string;
  description?: string | null;
}

/** The longest part of a long name that a text has: the number of its characters. */
function measureLongest({ message = '', description }: Failure): number {
  const text = `${message}\n${description ?? ''}`;
  const runs = text.match(/(?:word ){2,}|x{2,}/g) ?? [];
  return Math.max(0, ...runs.map((run) => run.length));
}

const WRONG = { a: { b: 1 } };
const OPERATORS = ['is before', 'higher than', 'no such operator'];

test.each([0, 1])('no error repeats a long name: %#', async (which) => {
  const table = addLongTable();
  const create = async (values: object) =>
    (await env.runRecordOperation('create', table, { columns: AUTO_MAP }, [values])).error as
      | Failure
      | undefined;
  const find = async (more: object) =>
    (await env.runRecordOperation('getAll', table, more)).error as Failure | undefined;
  getOutput(await env.runRecordOperation('create', table, { columns: AUTO_MAP }, [{ f0: 'a' }]));
  const errors = new Map<string, Failure | undefined>();
  for (const [index, { name }] of table.fields.entries()) {
    if (scaleSize(index % 2 !== which, false)) continue;
    errors.set(`value of ${TYPES[index]}`, await create({ f0: `k${index}`, [name]: WRONG }));
    for (const operator of OPERATORS.slice(...scaleSize([index % 3, (index % 3) + 1], [0, 3]))) {
      const conditions = { items: [{ field: `f${index}|text`, operator, value: 'soon' }] };
      errors.set(`${operator} of ${TYPES[index]}`, await find({ filterMode: 'manual', conditions }));
    }
  }
  const unknown = 'y'.repeat(5000);
  errors.set('unknown key', await create({ f0: 'b', [unknown]: 1 }));
  errors.set('unknown choice', await create({ f0: 'b', f10: unknown }));
  errors.set('unknown connected record', await create({ f0: 'b', f14: 'Nobody' }));
  errors.set('unique', await create({ f0: 'a' }));
  errors.set('required', await create({ f2: 1 }));
  errors.set('sort', await find({ sort: { rules: [{ field: unknown, direction: 'asc' }] } }));
  for (const value of [unknown, table.name.slice(0, 4000)]) {
    const dataTableId = { __rl: true, mode: 'name', value };
    const parameters = { resource: 'record', operation: 'getAll', dataTableId };
    errors.set(`table ${value.slice(0, 5)}`, (await runOperation(env, 'RecordDatabase', parameters)).error);
  }
  const shown = [...errors].filter(([, error]) => error !== undefined);
  expect(shown.length).toBeGreaterThan(20);
  const long = shown.flatMap(([name, error]) =>
    measureLongest(error!) > 210 || /y{210}/.test(`${error!.message} ${error!.description}`)
      ? [`${name}: ${error!.message} | ${error!.description}`.slice(0, 3000)]
      : [],
  );
  expect(long).toEqual([]);
});

/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { uniq, uniqBy } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { isObject } from '../../../nodes/service';
import { listOperations } from '../../operations';
import {
  findFollowedFields,
  findNeededFields,
  findVisibilityFields,
  type Form,
  forms,
  getRows,
} from './forms';

/** Fields that break a rule, each with its form. */
const findViolations = (rule: (form: Form) => INodeProperties[]) =>
  forms.flatMap((form) => rule(form).map(({ name }) => `${form.at}: ${name}`));

const getNames = (fields: INodeProperties[]) => fields.map(({ name }) => name);

/** The fields of the form and of each row in it. */
const collectLists = (fields: INodeProperties[]): INodeProperties[][] => [
  fields,
  ...fields.flatMap(getRows).flatMap(collectLists),
];

const getFirstSegment = ({ path }: Form['endpoints'][number]) =>
  /^\/api\/v1(?:\.1\/\{appId\})?\/([^/]+)/.exec(path)?.[1];

/** Names in the paths that the operation calls, without the fields and records that a write looks up. */
function parsePathNames({ endpoints }: Form): string[][] {
  const write = endpoints.find(({ effect }) => effect !== 'read');
  return endpoints
    .filter((endpoint) => !write || getFirstSegment(endpoint) === getFirstSegment(write))
    .map(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!));
}

const isPicker = ({ type }: INodeProperties) => type === 'resourceLocator';
const isTarget = (form: Form) => {
  const inPaths = new Set(parsePathNames(form).flat());
  return (field: INodeProperties) => inPaths.has(field.name) || (isPicker(field) && field.required === true);
};

test('there is a form for every operation, and for the two triggers', () => {
  expect(forms).toHaveLength(listOperations().length + 2);
});

// n8n marks a value in red that is not in the list: also the empty one, before the user has chosen anything.
test('a list that n8n loads is not marked as wrong while it is empty', () => {
  const isLoaded = ({ type, typeOptions, default: preset }: INodeProperties) =>
    type === 'options' && typeOptions?.loadOptionsMethod !== undefined && preset === '';
  const loaded = forms.flatMap(({ fields }) => collectLists(fields).flat().filter(isLoaded));
  expect(loaded.length).toBeGreaterThan(5);
  expect(
    findViolations(({ fields }) =>
      collectLists(fields)
        .flat()
        .filter((field) => isLoaded(field) && !field.allowArbitraryValues),
    ),
  ).toEqual([]);
});

test('the fields that a field depends on are in its form', () => {
  const findStrayFields = ({ fields }: Form) =>
    collectLists(fields).flatMap((list) => {
      const hasField = (name: string) => getNames([...list, ...fields]).includes(name);
      return list.filter(
        (one) =>
          !findVisibilityFields(one).every(hasField) ||
          (findFollowedFields(one).length > 0 && !findFollowedFields(one).some(hasField)),
      );
    });
  expect(findViolations(findStrayFields)).toEqual([]);
});

test('a field that depends on a part of another one names it from the root: n8n 1.123 accepts no other path', () => {
  const listKeys = ({ displayOptions: { show, hide } = {} }: INodeProperties) =>
    Object.keys({ ...show, ...hide });
  const findPaths = ({ fields }: Form) =>
    collectLists(fields)
      .flat()
      .filter((field) => listKeys(field).some((key) => key.includes('.') && !key.startsWith('/')));
  expect(findViolations(findPaths)).toEqual([]);
});

test('no condition of a field is undefined: n8n 1.123 reads the keys of each', () => {
  const hasUndefined = ({ displayOptions = {} }: INodeProperties) =>
    Object.values(displayOptions).includes(undefined);
  const findUndefined = ({ fields }: Form) => collectLists(fields).flat().filter(hasUndefined);
  expect(findViolations(findUndefined)).toEqual([]);
});

test('the fields that a field depends on come before it', () => {
  const findEarlyFields = ({ fields }: Form) =>
    collectLists(fields).flatMap((list) =>
      list.filter((field, at) =>
        getNames(list.slice(at)).some((name) => findNeededFields(field).includes(name)),
      ),
    );
  expect(findViolations(findEarlyFields)).toEqual([]);
});

test('path parameters come first, after only pickers and fields that their lists depend on', () => {
  const findIntruders = (form: Form) => {
    const { fields } = form;
    const targets = fields.filter(isTarget(form));
    const followedByTargets = new Set(targets.flatMap(findNeededFields));
    const before = fields.slice(0, Math.max(0, ...targets.map((one) => fields.indexOf(one))));
    return before.filter(
      (one) => !targets.includes(one) && !isPicker(one) && !followedByTargets.has(one.name),
    );
  };
  expect(findViolations(findIntruders)).toEqual([]);
});

test('page, component and record come in the order of the path', () => {
  const findDisorderedFields = (form: Form) =>
    parsePathNames(form).flatMap((names) => {
      const inForm = uniqBy(form.fields, 'name').filter(({ name }) => names.includes(name));
      const inPath = names.filter((name) => getNames(inForm).includes(name));
      return inForm.filter(({ name }, at) => inPath[at] !== name);
    });
  expect(findViolations(findDisorderedFields)).toEqual([]);
});

test('required fields come before optional ones', () => {
  // A dropdown has a default value. Columns come after the fields that select the records.
  const isOptional = ({ required, type }: INodeProperties) => !required && type !== 'options';
  const findLateFields = (form: Form) => {
    const values = form.fields.filter(
      (one) => !isTarget(form)(one) && !isPicker(one) && one.type !== 'resourceMapper',
    );
    const firstLeft = values.findIndex(isOptional);
    return values.filter(({ required }, at) => required && at > firstLeft && firstLeft >= 0);
  };
  expect(findViolations(findLateFields)).toEqual([]);
});

test('options come last, and options of every form come after all others', () => {
  const rank = ({ type, displayOptions }: INodeProperties) => {
    if (type !== 'collection') return 0;
    return displayOptions?.show?.operation ? 1 : 2;
  };
  const early = ({ fields }: Form) =>
    fields.filter((field, at) => fields.slice(at).some((later) => rank(later) < rank(field)));
  expect(findViolations(early)).toEqual([]);
});

const isOfTools = ({ displayOptions }: Pick<INodeProperties, 'displayOptions'>) =>
  displayOptions?.show?.['@tool']?.includes(true) === true;

/**
 * The options that the list offers at once. An option that another one must be added for takes the place of that one: what
 * was added is offered no more.
 */
const listOffered = (options: INodeProperties[]) =>
  options.filter(
    (option) =>
      !isOfTools(option) && !findVisibilityFields(option).some((name) => getNames(options).includes(name)),
  );

// The list of options shows eight rows without scrolling.
test('no form offers more than seven options at once, and none has an empty list of options', () => {
  const counts = forms.flatMap(({ at, fields }) =>
    fields
      .filter((field) => field.type === 'collection' && !isOfTools(field))
      .map(({ options = [] }) => ({ at, offered: listOffered(options as INodeProperties[]).length })),
  );
  expect(counts.length).toBeGreaterThan(20);
  expect(counts.filter(({ at }) => at.endsWith('Trigger'))).toHaveLength(2);
  const wrong = counts.filter(({ offered }) => offered > 7 || offered === 0);
  const remedy = 'put one among the parameters of the form, or an expert setting on the credential';
  expect(wrong.map(({ at, offered }) => `${at} offers ${offered} options: ${remedy}`)).toEqual([]);
});

test('the parameters of a JSON filter are an option, which is offered only for it', () => {
  const withFilter = forms.filter(({ fields }) => getNames(fields).includes('filterJson'));
  expect(withFilter.length).toBeGreaterThan(8);
  const found = withFilter.map(({ at, fields }) => {
    const options = fields.flatMap((field) =>
      field.type === 'collection' && !isOfTools(field) ? (field.options as INodeProperties[]) : [],
    );
    const parameters = options.find(({ name }) => name === 'filterParameters');
    return [
      at,
      getNames(fields).includes('filterParameters'),
      parameters?.displayOptions?.show?.['/filterMode'],
    ];
  });
  expect(found).toEqual(withFilter.map(({ at }) => [at, false, ['json']]));
});

type State = Record<string, unknown>;

/** All combinations of the values that switches and lists of a form can have, as far as its options depend on them. */
function listStates(fields: INodeProperties[], names: string[]): State[] {
  return names.reduce<State[]>(
    (states, name) => {
      const { type, options = [] } = fields.find((field) => field.name === name)!;
      const values =
        type === 'boolean' ? [true, false] : options.map((one) => (one as INodePropertyOptions).value);
      return states.flatMap((state) => values.map((value) => ({ ...state, [name]: value })));
    },
    [{}],
  );
}

const isShownIn = (state: State, { displayOptions: { show = {} } = {} }: INodeProperties) =>
  Object.entries(show)
    .filter(([path]) => !['resource', 'operation', '@tool'].includes(path))
    .every(([path, values]) => (values as unknown[]).includes(state[path.replace('/', '')]));

test('the options of a form are shown only while it has one', () => {
  const empty = forms.flatMap(({ at, fields }) =>
    fields
      .filter((field) => field.type === 'collection' && !isOfTools(field))
      .flatMap((field) => {
        const options = (field.options as INodeProperties[]).filter((one) => !isOfTools(one));
        const names = uniq([field, ...options].flatMap(findVisibilityFields)).filter((name) =>
          getNames(fields).includes(name),
        );
        return listStates(fields, names)
          .filter((state) => isShownIn(state, field) && !options.some((one) => isShownIn(state, one)))
          .map((state) => `${at} ${JSON.stringify(state)}`);
      }),
  );
  expect(empty).toEqual([]);
});

/** What n8n shows of a form before anything is filled in. A group is one input. */
const listShownAtFirst = ({ fields }: Form): string[] => {
  const defaults = new Map<string, unknown>(fields.map((field) => [field.name, field.default]));
  const isMet = ([path, values = []]: [string, unknown[]?]) => {
    const given = defaults.get(path.replace('/', ''));
    return path === '@tool' ? values.includes(false) : values.includes(isObject(given) ? given.value : given);
  };
  const isShown = ({ displayOptions: { show, hide } = {} }: INodeProperties) => {
    const conditions = Object.entries(show ?? {}).filter(
      ([path]) => !['resource', 'operation'].includes(path),
    );
    return conditions.every(isMet) && !Object.entries(hide ?? {}).some(isMet);
  };
  return fields.filter((field) => field.type !== 'notice' && isShown(field)).map(({ name }) => name);
};

test('the form of an export begins with what is needed: columns and the end of the wait come on demand', () => {
  const run = forms.find(({ at }) => at === 'RecordDatabaseImportExport export run')!;
  expect(listShownAtFirst(run)).toEqual([
    'templateId',
    'dataTableId',
    'wait',
    'download',
    'simplify',
    'options',
  ]);
});

test('no form shows more than five inputs before anything is picked', () => {
  const counts = forms.map((form) => ({ at: form.at, inputs: listShownAtFirst(form) }));
  const shown = counts.map(({ at, inputs }) => ({
    at,
    inputs: inputs.filter((name) => !['resource', 'operation', 'options'].includes(name)),
  }));
  expect(shown.filter(({ inputs }) => inputs.length > 5)).toEqual([]);
});

test('every operation that starts a run waits for its end by default', () => {
  const switches = forms.flatMap(({ fields }) => fields.filter(({ name }) => name === 'wait'));
  expect(switches.map((field) => field.default)).toEqual([true, true, true, true]);
});

/** Types that only show something. */
const NOT_SET = ['notice', 'callout', 'hidden', 'button'];

test('a workflow in test/engine sets each parameter and option', () => {
  const tests = readdirSync('test/engine', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join('test/engine', file), 'utf8'));
  // As a key, as a name in a table of cases, or as a variable that becomes a key.
  const keys = new Set(tests.join('\n').match(/(?<![.\w])\w+(?='?\s*[:,}\]])/g));
  const untested = forms.flatMap(({ at, fields }) =>
    collectLists(fields)
      .flat()
      .filter(({ name, type }) => !NOT_SET.includes(type) && !keys.has(name))
      .map(({ name }) => `${at}: write a test in test/engine that sets "${name}"`),
  );
  expect(untested).toEqual([]);
});

test('what no operation creates says in view where it is made', () => {
  const MADE = ['importId', 'templateId', 'pdfPageId', 'pdfFormId', 'taskId', 'automationId'];
  const pickers = forms.flatMap(({ fields }) => fields.filter(({ name }) => MADE.includes(name)));
  expect(uniq(pickers.map(({ name }) => name)).sort()).toEqual([...MADE].sort());
  expect(pickers.filter(({ hint = '' }) => !hint.startsWith('Made in the builder'))).toEqual([]);
});

test('Get Many has Limit above the filter, whose conditions would push it off the screen', () => {
  const lists = forms.filter(
    ({ fields }) => getNames(fields).includes('limit') && getNames(fields).includes('filterMode'),
  );
  expect(lists.map(({ at }) => at)).toEqual([
    'RecordDatabase record getAll',
    'RecordDatabasePages component getRecords',
  ]);
  for (const { fields } of lists)
    expect(getNames(fields).indexOf('limit')).toBeLessThan(getNames(fields).indexOf('filterMode'));
});

test('Undo says in view what its input is', () => {
  const { fields } = forms.find(({ at }) => at === 'RecordDatabase record undo')!;
  expect(fields[0]!.hint).toContain('what the previous node did');
});

test('a list that depends on a picker is shown once something is picked there', () => {
  const PICKERS = ['dataTableId', 'pageId', 'componentId'];
  const early = forms.flatMap(({ at, fields }) =>
    fields
      .filter((field) => field.typeOptions?.loadOptionsMethod !== undefined && !isOfTools(field))
      .filter((field) =>
        findFollowedFields(field).some(
          (name) =>
            PICKERS.includes(name) && fields.some((one) => one.name === name && one.required === true),
        ),
      )
      .filter((field) => findVisibilityFields(field).length === 0)
      .map(({ name }) => `${at} ${name}`),
  );
  expect(early).toEqual([]);
});

import { createColumnForm } from '../../../../nodes/n8n/columns/columnForm';
import type { ParameterDefinition } from '../../../../nodes/n8n/parameters/parameter';

/** The form of a node in a workflow, or that of a tool. */
const listFor = (form: ParameterDefinition[], left: ParameterDefinition['forTools']) =>
  form.filter(({ forTools }) => forTools !== left);

const listNames = (form: ParameterDefinition[]) => form.map(({ name }) => name);

test.each(['create', 'update', 'upsert'] as const)('a workflow maps the columns of %s', (purpose) => {
  expect(listNames(listFor(createColumnForm(purpose), 'only'))).toEqual(['columns', 'unknownInputs']);
});

test('a tool takes the columns as JSON too, and only Create or Update asks for columns to match on', () => {
  const list = (purpose: 'create' | 'update' | 'upsert') =>
    listNames(listFor(createColumnForm(purpose), 'never'));
  const names = ['columnsMode', 'columns', 'columnsJson'];
  expect(list('create')).toEqual(names);
  expect(list('update')).toEqual(names);
  expect(list('upsert')).toEqual([...names, 'matchColumns']);
});

test.each(['dataTableId', 'componentId'])('nothing about columns is shown before %s is chosen', (parent) => {
  const hide = { ...(parent === 'componentId' && { pageId: [''] }), [parent]: [''] };
  const listConditions = (left: ParameterDefinition['forTools']) =>
    listFor(createColumnForm('upsert', parent), left).map(({ displayOptions }) => displayOptions);
  // A mapping exists only where the mapper is shown.
  const automatic = { '/columns.mappingMode': ['autoMapInputData'] };
  expect(listConditions('only')).toEqual([{ hide }, { show: automatic }]);
  expect(listConditions('never')).toEqual([
    { hide },
    { hide, show: { columnsMode: ['form'] } },
    { show: { columnsMode: ['json'] } },
    { show: { columnsMode: ['json'] } },
  ]);
});

test('the mapper of a tool has no Map Automatically: a tool has no input', () => {
  for (const purpose of ['create', 'upsert', 'sync'] as const) {
    const [, mapper] = listFor(createColumnForm(purpose), 'never');
    expect(mapper).toMatchObject({
      name: 'columns',
      typeOptions: { resourceMapper: { supportAutoMap: false } },
    });
    const [ofNode] = listFor(createColumnForm(purpose), 'only');
    expect(ofNode).toMatchObject({
      name: 'columns',
      typeOptions: { resourceMapper: { supportAutoMap: true } },
    });
  }
});

test('a model gives the columns of a tool as JSON by default', () => {
  const [mode, , json] = listFor(createColumnForm('create'), 'never');
  expect(mode!.default).toBe('json');
  expect(json!.default).toMatch(/^=\{\{ \/\*n8n-auto-generated-fromAI-override\*\/ \$fromAI\('fields', /);
});

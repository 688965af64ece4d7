import { createColumnForm } from '../../../../nodes/n8n/columns/columnForm';
import type { ParameterDefinition } from '../../../../nodes/n8n/parameters/parameter';

/** The form of a node in a workflow, or that of a tool. */
const listFor = (form: ParameterDefinition[], left: ParameterDefinition['forTools']) =>
  form.filter(({ forTools }) => forTools !== left);

const listNames = (form: ParameterDefinition[]) => form.map(({ name }) => name);

test.each(['only', 'never'] as const)(
  'only Create or Update asks for columns to match on (without %s)',
  (left) => {
    const list = (purpose: 'create' | 'update' | 'upsert') =>
      listNames(listFor(createColumnForm(purpose), left));
    const names = ['columnsMode', 'columns', 'unknownInputs', 'columnsJson'];
    expect(list('create')).toEqual(names);
    expect(list('update')).toEqual(names);
    expect(list('upsert')).toEqual([...names, 'matchColumns']);
  },
);

test.each(['only', 'never'] as const)(
  'nothing about columns is shown before the table or component is chosen (without %s)',
  (left) => {
    for (const parent of ['dataTableId', 'componentId']) {
      const [mode, ...inputs] = listFor(createColumnForm('upsert', parent), left);
      expect(mode!.displayOptions).toEqual({ hide: { [parent]: [''] } });
      expect(inputs[0]!.displayOptions).toEqual({
        hide: { [parent]: [''] },
        show: { columnsMode: ['form'] },
      });
      expect(inputs.slice(1).map(({ displayOptions }) => displayOptions)).toEqual([
        // A mapping exists only where the mapper is shown.
        { show: { columnsMode: ['form'], '/columns.mappingMode': ['autoMapInputData'] } },
        { show: { columnsMode: ['json'] } },
        { show: { columnsMode: ['json'] } },
      ]);
    }
  },
);

test('a model gives the columns of a tool as JSON by default', () => {
  const [mode, , , json] = listFor(createColumnForm('create'), 'never');
  expect(mode!.default).toBe('json');
  expect(json!.default).toMatch(/^=\{\{ \$fromAI\('columns', /);
});

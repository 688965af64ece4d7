import { createColumnForm } from '../../../../nodes/n8n/columns/columnForm';

const listNames = (form: ReturnType<typeof createColumnForm>) => form.map(({ name }) => name);

test('only Create or Update asks for columns to match on', () => {
  expect(listNames(createColumnForm('create'))).toEqual(['columnsMode', 'columns', 'columnsJson']);
  expect(listNames(createColumnForm('update'))).toEqual(['columnsMode', 'columns', 'columnsJson']);
  expect(listNames(createColumnForm('upsert')).slice(3)).toEqual(['matchColumns']);
});

test('nothing about columns is shown before the table or component is chosen', () => {
  for (const parent of ['dataTableId', 'componentId']) {
    const [mode, ...inputs] = createColumnForm('upsert', parent);
    expect(mode!.displayOptions).toEqual({ hide: { [parent]: [''] } });
    expect(inputs[0]!.displayOptions).toEqual({
      hide: { [parent]: [''] },
      show: { columnsMode: ['form'] },
    });
    expect(inputs.slice(1).map(({ displayOptions }) => displayOptions)).toEqual([
      { show: { columnsMode: ['json'] } },
      { show: { columnsMode: ['json'] } },
    ]);
  }
});

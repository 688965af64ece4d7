import { createColumnMapper } from '../../../../nodes/n8n/columns/columnForm';

const COMMON = {
  resourceMapperMethod: 'getColumns',
  fieldWords: { singular: 'field', plural: 'fields' },
  multiKeyMatch: true,
  supportAutoMap: true,
};

test.each([
  ['create', { mode: 'add' }],
  ['update', { mode: 'add' }],
  [
    'upsert',
    {
      mode: 'upsert',
      matchingFieldsLabels: {
        title: 'Fields to Match On',
        description:
          'The fields that identify the record to update. Only a unique field prevents doubled records when something else writes at the same time.',
        hint: 'Choose a unique field, such as Email',
      },
    },
  ],
] as const)('the mapper of %s shows its columns when a table is picked', (purpose, settings) => {
  expect(createColumnMapper(purpose)).toMatchObject({
    type: 'resourceMapper',
    name: 'columns',
    displayOptions: { hide: { dataTableId: [''] } },
    typeOptions: {
      loadOptionsDependsOn: expect.arrayContaining([
        'dataTableId.value',
        'componentId.value',
        'importId.value',
      ]) as unknown,
    },
  });
  expect(createColumnMapper(purpose).typeOptions?.resourceMapper).toEqual({ ...COMMON, ...settings });
});

// The list of components is hidden until a page is picked, and what depends on it is not hidden with it.
test('the mapper of a component waits for the component and its page', () => {
  const hide = { pageId: [''], componentId: [''] };
  expect(createColumnMapper('create', 'componentId').displayOptions).toEqual({ hide });
});

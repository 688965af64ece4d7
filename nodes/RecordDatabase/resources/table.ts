/** Operations on tables and their fields. */
import { uniq } from 'lodash';
import { tableLocator } from '../../n8n/lists/tablePickers';
import { type Operation, type Resource, createListOperation, toOutputs } from '../../n8n/operation/operation';
import { defineLoadedList, defineParameter } from '../../n8n/parameters/parameter';
import { describeTables, findTable, listTables } from '../../records';
import { tableEndpoints } from '../../service';

const tablesParameter = defineLoadedList({
  displayName: 'Table Names or IDs',
  name: 'tableNames',
  typeOptions: { loadOptionsMethod: 'getTables' },
  description: 'The tables to describe.',
  hint: 'Empty: all tables',
});

const createCycleHint = (cycle: string): string =>
  `A circle of connections (${cycle}): fill these tables without the fields under "connectLater" first, and once more with them.`;

const describe: Operation = {
  name: 'describe',
  displayName: 'Describe',
  action: 'Describe tables',
  description:
    'Get tables with their fields, choices and connections, in the order in which they can be filled',
  parameters: [tablesParameter],
  cutAdvice: 'To see other tables, or all fields of one, give its name under Table.',
  async run(item) {
    const { client } = item;
    const tables = await listTables(client, { isFresh: true });
    const names = item.read(tablesParameter);
    const wanted = names.length > 0 ? uniq(names.map((name) => findTable(name, tables))) : tables;
    const described = await describeTables(client, tables, wanted);
    for (const cycle of new Set(described.map(({ cycle: one }) => one.join(', '))))
      if (cycle !== '') client.notices.addHint(createCycleHint(cycle));
    return toOutputs(described);
  },
};

export const dataTable: Resource = {
  name: 'dataTable',
  displayName: 'Table',
  operations: [
    createListOperation({
      action: 'Get many tables',
      description: 'Get all tables of the application',
      endpoint: tableEndpoints.list,
      cutAdvice: 'A table that is not shown can be used by its name.',
    }),
    describe,
  ],
};

const detailsParameter = defineParameter({
  displayName: 'Details',
  name: 'details',
  type: 'options',
  default: 'full',
  options: [
    { name: 'Basic', value: 'basic', description: 'Slug, name and type' },
    { name: 'Full', value: 'full', description: 'Also the field ID, default, choices and connection' },
  ],
});

export const field: Resource = {
  name: 'field',
  displayName: 'Field',
  operations: [
    createListOperation({
      action: 'Get many fields',
      description: 'Get the fields of a table',
      endpoint: (item) =>
        item.read(detailsParameter) === 'basic' ? tableEndpoints.listFields : tableEndpoints.listFullFields,
      parameters: [tableLocator, detailsParameter],
      cutAdvice: 'A choice that is not shown can be used by its label. With Details Basic, more fields fit.',
    }),
  ],
};

import { createFound, type ToolCall } from '../toolCall';

const active = { field: 'status', operator: 'is', value: 'active' };
const activeCustomers = createFound('Customers', ({ status }) => status === 'active');
const TABLE_LIST = /Customers.*Orders/s;

const countIn = (table: unknown, meaning?: ToolCall['meaning']): ToolCall => ({
  call: `counts in the table ${JSON.stringify(table)}`,
  tool: 'countRecords',
  args: {
    table,
    filter: JSON.stringify({
      condition: 'AND',
      items: [{ field_id: 'title', operator: 'is not', val: 'Labels 1' }],
    }),
  },
  meaning,
  error: TABLE_LIST,
});

const printJobs = createFound('Print Jobs', ({ title }) => title !== 'Labels 1');

/** Tables by name in any case, and tables that do not exist. */
export const tableCalls: ToolCall[] = [
  ...['Customers', 'customers', 'CUSTOMERS', ' Customers '].map((table): ToolCall => ({
    call: `finds records of the table "${table}"`,
    tool: 'findByCondition',
    args: { table, ...active },
    meaning: activeCustomers,
    error: TABLE_LIST,
  })),
  countIn('Print Jobs', printJobs),
  countIn('print_jobs', printJobs),
  countIn('printJobs', printJobs),
  countIn('print-jobs', printJobs),
  countIn('Clients'),
  countIn(''),
  {
    call: 'lists the fields of a table by name',
    tool: 'listFields',
    args: { table: 'products' },
    meaning: { answer: (fields) => fields.length === 7 && fields.some(({ slug }) => slug === 'stock') },
    error: TABLE_LIST,
  },
  {
    call: 'lists the fields of an unknown table',
    tool: 'listFields',
    args: { table: 'Employees' },
    error: TABLE_LIST,
  },
];

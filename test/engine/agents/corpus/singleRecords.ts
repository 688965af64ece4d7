import type { SampleRecord, ToolCall } from '../toolCall';

const findSorted = (
  call: string,
  args: object,
  isMeant?: (records: SampleRecord[]) => boolean,
): ToolCall => ({
  call: `sorts: ${call}`,
  tool: 'findSorted',
  args: {
    table: 'Orders',
    sortBy: 'number',
    direction: 'asc',
    limit: 3,
    columns: 'Number, Quantity',
    ...args,
  },
  meaning: isMeant && { answer: isMeant },
  error: /asc|has no field|Limit/,
});

const hasNumbers =
  (...numbers: string[]) =>
  (records: SampleRecord[]) =>
    records.map(({ number }) => number).join() === numbers.join();

const lastThree = hasNumbers('ORD-03000', 'ORD-02999', 'ORD-02998');

/** Single records, order, limit and columns. */
export const singleRecordCalls: ToolCall[] = [
  findSorted('descending', { direction: 'descending' }, lastThree),
  findSorted('DESC', { direction: 'DESC', sortBy: 'Number' }, lastThree),
  findSorted('a limit as text', { limit: '2' }, hasNumbers('ORD-00001', 'ORD-00002')),
  findSorted('fields as a list', { columns: ['Number', 'unitPrice'] }, (records) =>
    records.every((record) => 'unit_price' in record && !('quantity' in record)),
  ),
  findSorted('an unknown field', { sortBy: 'price' }),
  findSorted('an unknown direction', { direction: 'newest' }),
  findSorted('a limit in words', { limit: 'a few' }),
  {
    call: 'reads a record',
    tool: 'getRecord',
    args: { table: 'customers', recordId: '#Customers:2' },
    meaning: { answer: ([record]) => record?.company === 'Copper Partners' },
    error: /record/i,
  },
  {
    call: 'reads a record that does not exist',
    tool: 'getRecord',
    args: { table: 'customers', recordId: '2' },
    error: /record/i,
  },
  {
    call: 'deletes a record',
    tool: 'deleteRecord',
    args: { table: 'Print Jobs', recordId: '#Print Jobs:2' },
    meaning: { deleted: '#Print Jobs:2' },
    error: /record/i,
  },
];

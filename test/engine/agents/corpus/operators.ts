import { createFound, type SampleRecord, type ToolCall } from '../toolCall';

interface Order {
  status: string;
  quantity: number;
  ordered_on: string;
  shipped_at: string | null;
  express: number;
  number: string;
}

const findOrders = (
  field: string,
  operator: string,
  value: unknown,
  matching?: (order: Order) => boolean,
): ToolCall => ({
  call: `compares "${field}" by "${operator}" with ${JSON.stringify(value)}`,
  tool: 'findByCondition',
  args: { table: 'Orders', field, operator, value },
  meaning: matching && createFound('Orders', matching as unknown as (record: SampleRecord) => boolean),
  error: /Did you mean|Operators of the type|both ends|A valid value: \{|A valid filter: \{/,
});

const isOpen = ({ status }: Order) => status === 'open';
const isClosed = ({ status }: Order) => status !== 'open';
const DAY = '2025-03-01';

/** Operators as words and symbols of other systems. */
export const operatorCalls: ToolCall[] = [
  findOrders('status', 'equals', 'open', isOpen),
  findOrders('status', '==', 'open', isOpen),
  findOrders('status', '=', 'open', isOpen),
  findOrders('status', 'eq', 'Open', isOpen),
  findOrders('status', 'IS', 'Open', isOpen),
  findOrders('status', 'equal to', 'Open', isOpen),
  findOrders('status', '!=', 'Open', isClosed),
  findOrders('status', 'not_equals', 'Open', isClosed),
  findOrders('status', 'neq', 'Open', isClosed),
  findOrders('quantity', '>', 15, ({ quantity }) => quantity > 15),
  findOrders('quantity', 'gt', '15', ({ quantity }) => quantity > 15),
  findOrders('quantity', 'greater than', '15', ({ quantity }) => quantity > 15),
  findOrders('quantity', '>=', '15', ({ quantity }) => quantity >= 15),
  findOrders('quantity', 'at least', '15', ({ quantity }) => quantity >= 15),
  findOrders('quantity', 'less_than', '5', ({ quantity }) => quantity < 5),
  findOrders('quantity', 'lte', '5', ({ quantity }) => quantity <= 5),
  findOrders('quantity', 'between', [5, 7], ({ quantity }) => quantity >= 5 && quantity <= 7),
  findOrders('quantity', 'between', '5 and 7', ({ quantity }) => quantity >= 5 && quantity <= 7),
  findOrders('ordered_on', 'before', DAY, ({ ordered_on }) => ordered_on < DAY),
  findOrders('ordered_on', '>=', DAY, ({ ordered_on }) => ordered_on >= DAY),
  findOrders('Ordered On', 'after', DAY, ({ ordered_on }) => ordered_on > DAY),
  findOrders('ordered_on', 'since', DAY, ({ ordered_on }) => ordered_on >= DAY),
  findOrders('number', 'startsWith', 'ORD-000', ({ number }) => number.startsWith('ORD-000')),
  findOrders('number', 'begins with', 'ORD-000', ({ number }) => number.startsWith('ORD-000')),
  findOrders('number', 'ends_with', '77', ({ number }) => number.endsWith('77')),
  findOrders('number', 'includes', '123', ({ number }) => number.includes('123')),
  findOrders('number', 'like', '%123%', ({ number }) => number.includes('123')),
  findOrders('status', 'in', ['open', 'Cancelled'], ({ status }) => status !== 'shipped'),
  findOrders('status', 'is one of', 'Open, Cancelled', ({ status }) => status !== 'shipped'),
  findOrders('shipped_at', 'is empty', '', ({ shipped_at }) => shipped_at === null),
  findOrders('shipped_at', 'isNull', null, ({ shipped_at }) => shipped_at === null),
  findOrders('shipped_at', 'exists', true, ({ shipped_at }) => shipped_at !== null),
  findOrders('express', 'is', true, ({ express }) => express === 1),
  findOrders('express', 'equals', 'No', ({ express }) => express === 0),
  findOrders('express', 'is true', '', ({ express }) => express === 1),
  findOrders('status', 'matches regex', '^o'),
  findOrders('quantity', 'contains', '5'),
];

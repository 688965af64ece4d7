import type { RecordedRequest } from '../service/http/recorder';
import { listUndocumentedKeys } from './support/documentedKeys';

/** The check that each engine test makes of its requests finds the keys that the specification does not define. */

const RECORDS = 'POST /api/v1/data-tables/{dataTableId}/records';
const COMPONENT = 'GET /api/v1.1/{appId}/pages/{pageId}/components/{componentId}/records';

const find = (pattern: string, request: Partial<RecordedRequest>) =>
  listUndocumentedKeys({ pattern, query: {}, ...request } as RecordedRequest).map((text) =>
    text.slice(text.indexOf(': ') + 2),
  );

test.each<[string, Partial<RecordedRequest>, string[]]>([
  [
    COMPONENT,
    { query: { page: '1', filters: { items: [{ field_id: 'a', operator: 'is', val: '1' }] } } },
    [],
  ],
  [
    COMPONENT,
    { query: { filters: { condition: 'OR', items: [] }, sort_by: [{ sort: 'a', by: 'asc' }] } },
    ['query filters.condition', 'query sort_by'],
  ],
  [RECORDS, { intent: 'create', body: { any: 1, filter: [] } }, []],
  [
    RECORDS,
    { intent: 'list', body: { page: 1, filters: { items: [{ field_id: 'a', condition: '=', value: 1 }] } } },
    ['body filters.items[0].condition', 'body filters.items[0].value'],
  ],
  [
    RECORDS,
    { intent: 'list', body: { size: 1, filters: { child: [{ child: [{ match: 'all' }] }] } } },
    ['body size', 'body filters.child[0].child[0].match'],
  ],
  [`${RECORDS}?_zmode=search`, { query: { _zmode: 'search' }, body: { filters: { items: [{ field_id: 'a', condition: 'is_blank' }] } } }, []], // prettier-ignore
  [`${RECORDS}?_zmode=search`, { body: { filters: [] } }, ['body filters']],
  [`${RECORDS}/batch-update`, { body: { conditions: [{ condition: 'AND', items: [] }], values: [] } }, ['body conditions[0].condition']], // prettier-ignore
  ['GET /api/v1/tasks', { query: { page: '1' } }, ['query page']],
  ['GET /api/v1/logs/emails', { query: { page: '1', limit: '5' } }, ['query limit']],
  ['POST /api/v1/tasks/run/{taskId}', { body: {} }, []],
  ['', { query: { any: '1' } }, []],
])('%s %j', (pattern, request, undocumented) => {
  expect(find(pattern, request)).toEqual(undocumented);
});

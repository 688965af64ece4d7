import { isPlainObject } from 'lodash';
import type { Endpoint } from '../../service/endpoints';
import type { RecordedRequest } from '../../service/http/recorder';

/**
 * The keys that the specification defines for the query and the body of each endpoint. The table is typed from the
 * specification, neither from `nodes/` nor from the embedded service, so that a key must be wrong in three places to pass.
 */

/** A text, number or Boolean; any JSON value; a list; or an object with these keys. */
type Shape = '*' | 'any' | [Shape] | { [key: string]: Shape };

interface Keys {
  query?: Record<string, Shape>;
  /** `values`: field values by slug. `form`: the parts of an upload, whose names the spec does not define. */
  body?: Record<string, Shape> | 'values' | 'form';
}

const listKeys = <K extends string>(...keys: K[]): Record<string, Shape> =>
  Object.fromEntries(keys.map((key) => [key, '*']));

/** Spec: Filters, primary form. */
const PRIMARY_ITEM = listKeys('field_id', 'operator', 'val');
const PRIMARY_GROUP: Record<string, Shape> = { condition: '*', items: [PRIMARY_ITEM] };
PRIMARY_GROUP.child = [PRIMARY_GROUP];
/** Spec: Filters, GET form: items alone. */
const QUERY_FILTER = { items: [PRIMARY_ITEM] as [Shape] };
/** Spec: Filters, symbolic form. */
const SYMBOLIC_ITEM = listKeys('field_id', 'condition', 'value');

const PAGE = listKeys('page', 'limit');
/** Spec: List query parameters. */
const LIST_QUERY = { ...PAGE, ...listKeys('columns', 'fields', 'order', 'order_by', 'display_names') };
/** "The same names in a POST body", and `sort_by`. */
const LIST_BODY = { ...LIST_QUERY, sort_by: [listKeys('sort', 'by')] as [Shape] };

const RECORDS = '/api/v1/data-tables/{dataTableId}/records';
const COMPONENT = '/api/v1.1/{appId}/pages/{pageId}/components/{componentId}';

/** The endpoints with a query or a body. All others have neither. */
const KEYS: { [E in Endpoint | `POST ${typeof RECORDS} ${'list' | 'create'}`]?: Keys } = {
  [`GET ${RECORDS}` as const]: { query: { ...LIST_QUERY, filters: QUERY_FILTER } },
  [`POST ${RECORDS} list` as const]: { body: { ...LIST_BODY, filters: PRIMARY_GROUP } },
  [`POST ${RECORDS} create` as const]: { query: listKeys('showequationlog'), body: 'values' },
  [`POST ${RECORDS}?_zmode=search` as const]: {
    query: listKeys('_zmode'),
    body: { ...LIST_BODY, filters: { condition: '*', items: [SYMBOLIC_ITEM] } },
  },
  [`GET ${RECORDS}/{recordId}` as const]: { query: listKeys('columns', 'display_names') },
  [`POST ${RECORDS}/{recordId}` as const]: { body: 'values' },
  [`GET ${RECORDS}/batch-update-check` as const]: { body: { filters: { items: [SYMBOLIC_ITEM] } } },
  [`POST ${RECORDS}/batch-update` as const]: {
    body: {
      conditions: [{ items: [SYMBOLIC_ITEM] }],
      values: [{ ...listKeys('field_id', 'val_type'), value: 'any' }],
    },
  },

  'POST /api/v1/web-hooks/subscribe': { body: listKeys('data_table_id', 'type', 'hookUrl', 'platform') },
  'GET /api/v1/web-hooks/list': { query: listKeys('data_table_id') },
  'DELETE /api/v1/web-hooks/unsubscribe': { body: listKeys('id') },

  'POST /api/v1.1/{appId}/auth/login': { body: listKeys('email', 'password', 'remember') },
  'POST /api/v1.1/{appId}/auth/auto-login': { body: listKeys('email') },
  'POST /api/v1.1/{appId}/auth/magic-link': {
    body: listKeys('email', 'user_id', 'redirect_url', 'redirect_page_id'),
  },

  'GET /api/v1.1/{appId}/imports': { query: { ...PAGE, ...listKeys('dataTableId') } },
  'POST /api/v1.1/{appId}/imports/{importId}/trigger': { body: 'form' },
  'POST /api/v1.1/{appId}/exports/templates/{templateId}/trigger': {
    body: { filters: PRIMARY_GROUP, columns: ['*'] },
  },

  'POST /api/v1.1/{appId}/pdf-forms/{pdfFormId}/create': { body: 'values' },

  // The spec names `sort_by` for the query and defines no notation for it.
  [`GET ${COMPONENT}/records` as const]: { query: { ...PAGE, filters: QUERY_FILTER } },
  [`POST ${COMPONENT}/records` as const]: { body: { ...PAGE, filters: PRIMARY_GROUP } },
  [`POST ${COMPONENT}/save` as const]: { body: 'values' },

  ...Object.fromEntries(
    [
      'failed-logins',
      'logins',
      'page-views',
      'emails',
      'sessions',
      'blocked-users',
      'blocked-ips',
      'builder-activities',
    ].map((log) => [`GET /api/v1/logs/${log}`, { query: listKeys('page') }]),
  ),
};

/** Lists the paths of a value that a shape does not define: `filters.condition`, `sort_by`. */
function listOtherKeys(value: unknown, shape: Shape, path: string): string[] {
  if (shape === 'any') return [];
  if (shape === '*') return typeof value === 'object' && value !== null ? [path] : [];
  if (Array.isArray(shape)) {
    return Array.isArray(value)
      ? value.flatMap((entry, index) => listOtherKeys(entry, shape[0], `${path}[${index}]`))
      : [path];
  }
  if (!isPlainObject(value)) return [path];
  return Object.entries(value as object).flatMap(([key, entry]) => {
    const inner = path === '' ? key : `${path}.${key}`;
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    return known === undefined ? [inner] : listOtherKeys(entry, known, inner);
  });
}

/** Lists the keys of a request that the specification does not define, with their endpoint. */
export function listUndocumentedKeys({ pattern, intent, query, body }: RecordedRequest): string[] {
  // The embedded service reports an undocumented endpoint itself.
  if (pattern === '') return [];
  const endpoint = pattern === `POST ${RECORDS}` ? (`${pattern} ${intent ?? 'create'}` as const) : pattern;
  const keys = KEYS[endpoint] ?? {};
  const isOpen = keys.body === 'values' || keys.body === 'form';
  const bodyShape = isOpen ? {} : ((keys.body ?? {}) as Record<string, Shape>);
  return [
    ...listOtherKeys(query, keys.query ?? {}, '').map((path) => `query ${path}`),
    ...(isOpen || body === undefined ? [] : listOtherKeys(body, bodyShape, '').map((path) => `body ${path}`)),
  ].map((text) => `${endpoint}: ${text}`);
}

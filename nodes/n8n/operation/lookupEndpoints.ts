import { uniq } from 'lodash';
import { recordEndpoints, tableEndpoints } from '../../client/endpoints/catalogue';
import type { Endpoint } from '../../client/endpoints/endpoint';

/** What a look-up of connected records may call. */
const LOOKUP_ENDPOINTS: Endpoint[] = [
  recordEndpoints.listFiltered,
  recordEndpoints.get,
  tableEndpoints.listFullFields,
  tableEndpoints.list,
];

/** Returns the endpoints of an operation whose values or conditions can name connected records. */
export const withLookupEndpoints = (...endpoints: Endpoint[]): Endpoint[] =>
  uniq([...endpoints, ...LOOKUP_ENDPOINTS]);

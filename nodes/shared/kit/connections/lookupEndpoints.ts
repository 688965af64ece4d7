import { uniq } from 'lodash';
import type { Endpoint } from '../../model/endpoints/endpoint';
import { recordEndpoints } from '../../model/endpoints/records';
import { tableEndpoints } from '../../model/endpoints/tables';

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

import type { IDataObject } from 'n8n-workflow';
import { type Resource, createCallOperation } from '../../n8n/operation/operation';
import { apiKeyEndpoints } from '../../service';

/**
 * Flattens nested objects, for example `per_minute_limit: {allowed}` to `per_minute_limit_allowed`. Flat fields
 * are easier to use in expressions.
 */
const flattenObject = (value: object, prefix = ''): IDataObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.entries(flattenObject(inner, `${prefix}${key}_`))
        : [[prefix + key, inner as IDataObject[string]]],
    ),
  );

/** The API key and its status (spec: API status record). */
export const apiKey: Resource = {
  name: 'apiKey',
  displayName: 'API Key',
  operations: [
    createCallOperation({
      name: 'getStatus',
      displayName: 'Get Status',
      action: 'Get status of API key',
      description: 'Get the permissions of the API key, and how many requests are left this minute and today',
      endpoint: apiKeyEndpoints.getStatus,
      read: (body) => flattenObject(body),
    }),
  ],
};

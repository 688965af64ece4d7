import type { IDataObject } from 'n8n-workflow';
import { callOperation, type Resource } from '../../shared/kit/operation';
import { v1 } from '../../shared/model/endpoint';

/** `per_minute_limit: {allowed}` as `per_minute_limit_allowed`: plain fields are easier to use. */
const flat = (value: object, prefix = ''): IDataObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.entries(flat(inner, `${prefix}${key}_`))
        : [[prefix + key, inner as IDataObject[string]]],
    ),
  );

/** Spec: API status record. */
export const apiKey: Resource = {
  name: 'apiKey',
  displayName: 'API Key',
  operations: [
    callOperation({
      name: 'getStatus',
      displayName: 'Get Status',
      action: 'Get the status of the API key',
      description: 'Get the permissions of the API key, and how many requests are left this minute and today',
      endpoint: v1('GET /status'),
      read: (body) => (typeof body === 'object' && body !== null ? flat(body) : body),
    }),
  ],
};

import { type Resource, createCallOperation } from '../../n8n/operation/operation';
import { simplifyEntry } from '../../n8n/operation/simplify';
import { apiKeyEndpoints } from '../../service';

/** Spec: API status record. */
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
      read: (body) => simplifyEntry(body),
    }),
  ],
};

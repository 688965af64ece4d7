import { automationEndpoints } from '../../client/endpoints/catalogue';
import { createLocator } from '../../n8n/lists/listPicker';
import type { Resource } from '../../n8n/operation/operation';
import { createExecutionOperations } from './executionOperations';

/** Spec: Automations. No endpoint lists automations, so the dropdown lists those that have run. */
export const automation: Resource = {
  name: 'automation',
  displayName: 'Automation',
  operations: createExecutionOperations({
    noun: 'automation',
    endpoints: automationEndpoints,
    definition: createLocator(
      'Automations',
      'Automation',
      'automationId',
      'The automation to work with. The list shows automations that have run before. For others, enter the ID that the service shows.',
    ),
  }),
};

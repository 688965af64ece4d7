import type { Resource } from '../../shared/kit/operation/operation';
import { createLocator } from '../../shared/kit/pickers/listPicker';
import { automationEndpoints } from '../../shared/model/endpoints/automations';
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

import { locator } from '../../shared/kit/listPicker';
import type { Resource } from '../../shared/kit/operation';
import { executionOperations } from './executions';

/** Spec: Automations. No endpoint lists them, so the list holds those that have run. */
export const automation: Resource = {
  name: 'automation',
  displayName: 'Automation',
  operations: executionOperations({
    noun: 'automation',
    definition: locator(
      'Automations',
      'Automation',
      'automationId',
      'The automation to work with. The list shows those that have run before; for others give the ID, as the service shows it.',
    ),
  }),
};

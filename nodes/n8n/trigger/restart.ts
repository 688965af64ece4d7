/** Whether n8n itself starts a workflow, and not a user who publishes it: `isRestart`. */
import type { IHookFunctions, IPollFunctions } from 'n8n-workflow';

/**
 * Whether n8n starts a workflow that is published already: at its own start, or when this process takes over from another
 * one. An error of the trigger then can end it for ever (see the callers), although nobody has changed anything.
 */
export const isRestart = (context: IHookFunctions | IPollFunctions): boolean =>
  ['init', 'leadershipChange'].includes(context.getActivationMode());

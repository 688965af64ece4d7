import { z } from 'zod';
import { createTextShape } from './shapes';

/** Entries of the logs, as they are with Simplify (spec: Logs). */

const failedLoginOutput = z.object(
  createTextShape('created_at username ip city state country platform browser device device_type'),
);

const loginOutput = z.object({
  ...createTextShape('email name type created_at address address2 city state country zip latitude longitude'),
  ...createTextShape('ip platform browser device device_type'),
});

const pageViewOutput = z.object(
  createTextShape('url data_type_id page_id created_at ip app_user_id browser user_name user_email'),
);

/** Simplify leaves out `body`. */
const emailOutput = z.object(
  createTextShape('unique_id created_at to subject status from_email from_name browser ip'),
);

const sessionEntryOutput = z.object(
  createTextShape('email name created_at expire_at last_active_at browser ip'),
);

const blockOutput = z.object(createTextShape('type created_at username start_at end_at status'));

const builderActivityOutput = z.object({
  ...createTextShape('type created_at ip user_name user_email'),
  metas: z.object({}),
});

/** The entries of each log, by the name of the operation. */
export const logOutputs = {
  getBlockedIps: blockOutput,
  getBlockedUsers: blockOutput,
  getBuilderActivities: builderActivityOutput,
  getEmails: emailOutput,
  getFailedLogins: failedLoginOutput,
  getLogins: loginOutput,
  getPageViews: pageViewOutput,
  getSessions: sessionEntryOutput,
};

import { createListSchema } from '../responses/schemas';
import { permissions } from './apiKey';
import { defineV1 } from './endpoint';

const LOG_DETAILS = { response: createListSchema('items'), permission: permissions.logs };

/** Spec: Logs. Every response is `{type, page, total_pages, total_items, items}`. */
export const logEndpoints = {
  failedLogins: defineV1('GET /logs/failed-logins', LOG_DETAILS),
  logins: defineV1('GET /logs/logins', LOG_DETAILS),
  pageViews: defineV1('GET /logs/page-views', LOG_DETAILS),
  emails: defineV1('GET /logs/emails', LOG_DETAILS),
  sessions: defineV1('GET /logs/sessions', LOG_DETAILS),
  blockedUsers: defineV1('GET /logs/blocked-users', LOG_DETAILS),
  blockedIps: defineV1('GET /logs/blocked-ips', LOG_DETAILS),
  builderActivities: defineV1('GET /logs/builder-activities', LOG_DETAILS),
};

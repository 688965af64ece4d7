import { createListSchema } from '../responses/schemas';
import { permissions } from './apiKey';
import { defineV1 } from './endpoint';

const details = { response: createListSchema('items'), permission: permissions.logs };

/** Spec: Logs. Every response is `{type, page, total_pages, total_items, items}`. */
export const logEndpoints = {
  failedLogins: defineV1('GET /logs/failed-logins', details),
  logins: defineV1('GET /logs/logins', details),
  pageViews: defineV1('GET /logs/page-views', details),
  emails: defineV1('GET /logs/emails', details),
  sessions: defineV1('GET /logs/sessions', details),
  blockedUsers: defineV1('GET /logs/blocked-users', details),
  blockedIps: defineV1('GET /logs/blocked-ips', details),
  builderActivities: defineV1('GET /logs/builder-activities', details),
};

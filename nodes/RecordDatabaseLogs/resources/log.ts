import { logEndpoints } from '../../client/endpoints/catalogue';
import type { Endpoint } from '../../client/endpoints/endpoint';
import { findLogPages, readLog } from '../../client/logs/readLog';
import { type ListResponse, simplifyEntry } from '../../client/responses/schemas';
import { type Operation, type Resource, toOutputs } from '../../n8n/operation/operation';
import { describeTotal, readWindow, returnAllOrLimit } from '../../n8n/operation/returnAll';
import { logOptions, readSinceOption, simplifyLog } from './logOptions';

/** Keys that Simplify omits because of their length: `body` holds the HTML of an email. */
const LONG_KEYS = new Set(['body']);

/** Creates the operation that reads one log (spec: Logs). */
const createLogOperation = (
  name: string,
  endpoint: Endpoint<ListResponse>,
  displayName: string,
  what: string,
  more = '',
): Operation => {
  return {
    name,
    displayName,
    action: displayName.replace(/ [A-Z](?=[a-z])/g, (start) => start.toLowerCase()),
    description: `Get ${what}${more}`,
    parameters: [...returnAllOrLimit, simplifyLog, logOptions],
    async run(item) {
      const window = readWindow(item);
      const { entries, total } = await readLog({
        fetch: (page) => item.client.logs.readPage(endpoint, page),
        pages: findLogPages(window),
        limit: window.limit,
        since: readSinceOption(item),
      });
      const shown = item.read(simplifyLog)
        ? entries.map((entry) => simplifyEntry(entry, LONG_KEYS))
        : entries;
      const totals = describeTotal(item, window, total);
      return toOutputs(shown).map(({ json }) => ({ json: { ...json, ...totals } }));
    },
  };
};

export const log: Resource = {
  name: 'log',
  displayName: 'Log',
  operations: [
    createLogOperation(
      'getBlockedIps',
      logEndpoints.blockedIps,
      'Get Blocked IPs',
      'IP addresses that were blocked',
    ),
    createLogOperation(
      'getBlockedUsers',
      logEndpoints.blockedUsers,
      'Get Blocked Users',
      'users that were blocked',
    ),
    createLogOperation(
      'getBuilderActivities',
      logEndpoints.builderActivities,
      'Get Builder Activities',
      'changes that builders made in the application',
    ),
    createLogOperation('getEmails', logEndpoints.emails, 'Get Emails', 'e-mails that the application sent'),
    createLogOperation(
      'getFailedLogins',
      logEndpoints.failedLogins,
      'Get Failed Logins',
      'logins that were refused',
    ),
    createLogOperation('getLogins', logEndpoints.logins, 'Get Logins', 'logins of users'),
    createLogOperation('getPageViews', logEndpoints.pageViews, 'Get Page Views', 'page views'),
    createLogOperation(
      'getSessions',
      logEndpoints.sessions,
      'Get Sessions',
      'sessions of users',
      '. The service returns only sessions that started within the last 13 hours and have not expired.',
    ),
  ],
};

import { outputs, type Operation, type Resource } from '../../shared/kit/operation';
import { limitOf, returnAllOrLimit } from '../../shared/kit/returnAll';
import { v1 } from '../../shared/model/endpoint';
import { fetchLogPage, readLog } from './readLog';
import { sinceOf, logOptions } from './since';
import { simplified } from './simplify';

/** One log: where it is and what it tells (spec: Logs). */
const logOperation = (
  name: string,
  path: string,
  displayName: string,
  what: string,
  more = '',
): Operation => {
  const endpoint = v1(`GET /logs/${path}`);
  return {
    name,
    displayName,
    action: displayName.replace(/ [A-Z](?=[a-z])/g, (start) => start.toLowerCase()),
    description: `Get ${what}${more}`,
    endpoints: [endpoint],
    parameters: [...returnAllOrLimit, logOptions],
    async run(item) {
      const shape = item.option('simplify') ? simplified : (entry: unknown) => entry;
      const entries = await readLog({
        fetch: (page) => fetchLogPage(item, endpoint, page),
        limit: limitOf(item),
        since: sinceOf(item),
      });
      return outputs(entries.map(shape));
    },
  };
};

export const log: Resource = {
  name: 'log',
  displayName: 'Log',
  operations: [
    logOperation('getBlockedIps', 'blocked-ips', 'Get Blocked IPs', 'IP addresses that were blocked'),
    logOperation('getBlockedUsers', 'blocked-users', 'Get Blocked Users', 'users that were blocked'),
    logOperation(
      'getBuilderActivities',
      'builder-activities',
      'Get Builder Activities',
      'what builders changed in the application',
    ),
    logOperation('getEmails', 'emails', 'Get Emails', 'e-mails that the application sent'),
    logOperation('getFailedLogins', 'failed-logins', 'Get Failed Logins', 'logins that were refused'),
    logOperation('getLogins', 'logins', 'Get Logins', 'logins of users'),
    logOperation('getPageViews', 'page-views', 'Get Page Views', 'visits of pages'),
    logOperation(
      'getSessions',
      'sessions',
      'Get Sessions',
      'sessions of users',
      '. The service shows only those made within the last 13 hours that have not expired.',
    ),
  ],
};

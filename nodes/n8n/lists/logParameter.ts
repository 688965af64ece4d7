import { defineParameter } from '../parameters/parameter';

/** The value of each option is the key of its endpoint in `logEndpoints` (spec: Logs). */
export const logParameter = defineParameter({
  displayName: 'Log',
  name: 'log',
  type: 'options',
  default: 'logins',
  description: 'The log to read',
  options: [
    { name: 'Blocked IPs', value: 'blockedIps', description: 'IP addresses that were blocked' },
    { name: 'Blocked Users', value: 'blockedUsers', description: 'Users that were blocked' },
    {
      name: 'Builder Activities',
      value: 'builderActivities',
      description: 'Changes that builders made in the application',
    },
    { name: 'Emails', value: 'emails', description: 'E-mails that the application sent' },
    { name: 'Failed Logins', value: 'failedLogins', description: 'Logins that were refused' },
    { name: 'Logins', value: 'logins', description: 'Logins of users' },
    { name: 'Page Views', value: 'pageViews', description: 'Pages that were opened, and by whom' },
    {
      name: 'Sessions',
      value: 'sessions',
      description: 'Sessions that started within the last 13 hours and have not expired',
    },
  ],
});

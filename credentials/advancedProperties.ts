import type { INodeProperties } from 'n8n-workflow';

/** Settings of the credential that most services do not need. */
export const advancedProperties: INodeProperties[] = [
  {
    displayName: 'Header Prefix',
    name: 'headerPrefix',
    type: 'string',
    default: 'Service',
    description:
      'Advanced: the word in the names of the key headers, as in X-Service-App-Key. Change it only when the documentation of your service shows another one.',
  },
  {
    displayName: 'Service Time Zone',
    name: 'serviceTimeZone',
    type: 'string',
    default: 'UTC',
    placeholder: 'e.g. Europe/Berlin',
    description:
      'Advanced: the time zone in which the service writes "created_at", its logs and its "today". Its documentation does not state it. Give an IANA name.',
  },
  {
    displayName: 'Columns Not Given',
    name: 'columnsNotGiven',
    type: 'options',
    default: 'auto',
    description:
      'Advanced: what the service does with columns that an update does not name. An operation can override this in its options.',
    options: [
      {
        name: 'Detect',
        value: 'auto',
        description: 'Detect it with the first update; no value is lost in either case',
      },
      { name: 'Service Keeps Them', value: 'keeps', description: 'Updates send only what changes' },
      {
        name: 'Service Empties Them',
        value: 'blanks',
        description: 'Updates read the record first and send all its values',
      },
    ],
  },
  {
    displayName: 'File Hosts',
    name: 'fileHosts',
    type: 'string',
    default: '',
    placeholder: 'e.g. files.internal, 10.0.0.5:9000',
    description:
      'Advanced: hosts inside your network that files may be downloaded from, separated by commas. Needed if the service keeps its files there under another host or port than its own. Public hosts need no entry.',
  },
];

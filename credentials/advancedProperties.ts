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
    displayName: 'Columns Not Sent in an Update',
    name: 'columnsNotSent',
    type: 'options',
    default: 'send',
    description:
      'Advanced: what happens to columns that an update does not change. The documentation of the service can be read in two ways: they keep their values, or they are emptied.',
    options: [
      {
        name: 'Kept by the Service',
        value: 'kept',
        description:
          'Send only the changed values, with one request. On a service that empties columns that it does not get, their values are lost: try it with one record first.',
      },
      {
        name: 'Send Them Along',
        value: 'send',
        description:
          'Read the record and send all its values; nothing is written if nothing differs. Right for every service. What somebody else changes in the 2 seconds between read and write may be overwritten.',
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

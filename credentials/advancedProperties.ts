import type { INodeProperties } from 'n8n-workflow';
import { DEFAULT_PARALLEL_REQUESTS, DEFAULT_TIMEOUT_SECONDS } from '../nodes/client/http/credential';

/** Settings that most services do not need. n8n passes on those that are shown, so the others have their defaults. */
const settings: INodeProperties[] = [
  {
    displayName: 'Columns Not Sent in an Update',
    name: 'columnsNotSent',
    type: 'options',
    default: 'send',
    description:
      'What happens to columns that an update does not change. The documentation of the service can be read in two ways: they keep their values, or they are emptied.',
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
    displayName: 'Fast Paging',
    name: 'fastPaging',
    type: 'boolean',
    default: false,
    description:
      'Whether Get Many and Search read each page once. This saves 10 % of the requests of a long list, but a record may be missing when records are added, removed or moved meanwhile.',
  },
  {
    displayName: 'File Hosts',
    name: 'fileHosts',
    type: 'string',
    default: '',
    placeholder: 'e.g. files.internal, 10.0.0.5:9000',
    description:
      'Hosts inside your network that files may be downloaded from, separated by commas. Needed if the service keeps its files there under another host or port than its own. Public hosts need no entry.',
  },
  {
    displayName: 'Header Prefix',
    name: 'headerPrefix',
    type: 'string',
    default: 'Service',
    description:
      'The word in the names of the key headers, as in X-Service-App-Key. Change it only when the documentation of your service shows another one.',
  },
  {
    displayName: 'Parallel Requests',
    name: 'parallelRequests',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 50 },
    default: DEFAULT_PARALLEL_REQUESTS,
    description:
      'How many requests of one node may run at once. The order of the items and the request limit of the API key are kept with any number.',
  },
  {
    displayName: 'Request Timeout (Seconds)',
    name: 'requestTimeout',
    type: 'number',
    typeOptions: { minValue: 0.1, numberPrecision: 1 },
    default: DEFAULT_TIMEOUT_SECONDS,
    description:
      'How long one answer of the service may take, or the next bytes of a file. A file may take 30 times as long in all.',
  },
  {
    displayName: 'Service Time Zone',
    name: 'serviceTimeZone',
    type: 'string',
    default: 'UTC',
    placeholder: 'e.g. Europe/Berlin',
    description:
      'The time zone in which the service writes "created_at", its logs and its "today". Its documentation does not state it. Give an IANA name.',
  },
];

/** A switch, off by default, and the settings that it shows. The dialog of a credential cannot show a collection. */
export const advancedProperties: INodeProperties[] = [
  {
    displayName: 'Advanced Settings',
    name: 'advancedSettings',
    type: 'boolean',
    default: false,
    description:
      'Whether to show the settings that most services do not need. Their defaults apply while this is off.',
  },
  ...settings.map((setting) => ({ ...setting, displayOptions: { show: { advancedSettings: [true] } } })),
];

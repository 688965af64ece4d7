/** The credential, and the function that adds its keys to a request. */
import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  IDataObject,
  IHttpRequestOptions,
  INodeProperties,
  Icon,
} from 'n8n-workflow';
import { createRequestHeaders, CREDENTIAL_DEFAULTS } from '../nodes/service';

/**
 * Without these options, n8n would send the keys to the target of a redirect, and the option `auth` of a request would
 * replace its header Authorization. `followRedirect` and `followAllRedirects` are for n8n's older request helper.
 */
const SAFE_REQUEST_OPTIONS = {
  disableFollowRedirect: true,
  followRedirect: false,
  followAllRedirects: false,
  auth: undefined,
};

/** Adds the keys to a request. `createRequestHeaders` throws for a request to another server than the Base URL. */
export async function authenticateRequest(
  credentials: ICredentialDataDecryptedObject,
  requestOptions: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
  const headers = createRequestHeaders(credentials, requestOptions) as IDataObject;
  return Object.assign(requestOptions, { headers }, SAFE_REQUEST_OPTIONS);
}

const headerPrefixProperty: INodeProperties = {
  displayName: 'Header Prefix',
  name: 'headerPrefix',
  type: 'string',
  default: CREDENTIAL_DEFAULTS.headerPrefix,
  hint: 'The word between X- and -App-Key in the names of the key headers, as the documentation of your service shows them.',
};

const serviceTimeZoneProperty: INodeProperties = {
  displayName: 'Service Time Zone',
  name: 'serviceTimeZone',
  type: 'string',
  default: '',
  placeholder: 'e.g. Europe/Berlin',
  description:
    'The time zone in which the service writes "Created At", its logs and its "today": an IANA name. It is a setting of your application there.',
  hint: "Empty: the workflow's time zone",
};

/** While these fields are hidden, n8n leaves out their values, and the defaults apply. */
const advancedSettings: INodeProperties[] = [
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
    displayName: 'Parallel Requests',
    name: 'parallelRequests',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 50 },
    default: CREDENTIAL_DEFAULTS.parallelRequests,
    description:
      'How many requests of one node may run at once. The order of the items and the request limit of the API key are kept with any number.',
  },
  {
    displayName: 'Request Timeout (Seconds)',
    name: 'requestTimeout',
    type: 'number',
    typeOptions: { minValue: 0.1, numberPrecision: 1 },
    default: CREDENTIAL_DEFAULTS.requestTimeout,
    description:
      'How long one answer of the service may take, or the next bytes of a file. A file may take 30 times as long in all.',
  },
];

/** A switch shows the advanced settings, because n8n's dialog for credentials cannot show a `collection`. */
const advancedProperties: INodeProperties[] = [
  {
    displayName: 'Advanced Settings',
    name: 'advancedSettings',
    type: 'boolean',
    default: false,
    description:
      'Whether to show the settings that most services do not need. Their defaults apply while this is off.',
  },
  ...advancedSettings.map((one) => ({ ...one, displayOptions: { show: { advancedSettings: [true] } } })),
];

/** The nodes test the credential (`testedBy`), so that the test can show its own messages. */
export class RecordDatabaseApi implements ICredentialType {
  name = 'recordDatabaseApi';

  displayName = 'Record Database API';

  icon: Icon = { light: 'file:../icons/recordDatabase.svg', dark: 'file:../icons/recordDatabase.dark.svg' };

  documentationUrl = 'https://github.com/n8n-nodes-record-database/n8n-nodes-record-database#credentials';

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. https://app.example.com',
      description:
        'Address of the service. A missing https:// is added; /api and a version at its end are ignored.',
    },
    headerPrefixProperty,
    {
      displayName: 'App ID',
      name: 'appId',
      type: 'string',
      default: '',
      required: true,
      hint: 'The settings of your application show it beside the API key',
    },
    // eslint-disable-next-line @n8n/community-nodes/credential-unnecessary-password -- the key is a secret
    {
      displayName: 'App Key',
      name: 'appKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
    },
    {
      displayName: 'App Secret',
      name: 'appSecret',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      hint: 'The service shows it only once, when the key is generated. Generate a new key if it was lost.',
    },
    {
      displayName: 'User Login',
      name: 'userLogin',
      type: 'options',
      default: 'none',
      description:
        'The user of the application to act as, so that permissions, record rules and Row Level Security apply and the logged-in-user filters work. The fields of the user may be expressions: they are read for each item.',
      options: [
        { name: 'None (API Key Only)', value: 'none' },
        { name: 'Email and Password', value: 'password' },
        {
          name: 'Email Only (Auto-Login)',
          value: 'autoLogin',
          description: 'Needs an API key that is set up for logins without a password',
        },
        {
          name: 'Token',
          value: 'token',
          description: 'The token of a login, as Log In, Auto-Login and Create Magic Link return it',
        },
      ],
    },
    {
      displayName:
        'With the keys alone, workflows read and change all records: Row Level Security does not apply.',
      name: 'allRecordsNotice',
      type: 'notice',
      default: '',
      displayOptions: { show: { userLogin: ['none'] } },
    },
    {
      displayName: 'Email',
      name: 'email',
      type: 'string',
      placeholder: 'e.g. name@email.com',
      default: '',
      required: true,
      displayOptions: { show: { userLogin: ['password', 'autoLogin'] } },
    },
    {
      displayName: 'Password',
      name: 'password',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      displayOptions: { show: { userLogin: ['password'] } },
    },
    {
      displayName: 'Remember',
      name: 'remember',
      type: 'boolean',
      default: true,
      description: 'Whether to ask the service for a login that lasts longer',
      displayOptions: { show: { userLogin: ['password'] } },
    },
    {
      displayName: 'Token',
      name: 'token',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      hint: 'It is not renewed: when it has expired, the user must log in again',
      displayOptions: { show: { userLogin: ['token'] } },
    },
    serviceTimeZoneProperty,
    ...advancedProperties,
  ];

  authenticate = authenticateRequest;
}

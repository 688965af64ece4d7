import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  IHttpRequestOptions,
  INodeProperties,
  Icon,
} from 'n8n-workflow';
import { authenticateRequest } from '../nodes/n8n/http/authenticateRequest';
import { advancedProperties } from './advancedProperties';

/**
 * The credential of all nodes: the three keys of an application and, optionally, a user to act as. The nodes
 * test it (`testedBy`), because a test function can return its own messages; see `testCredential.ts`.
 */
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
        { name: 'E-Mail and Password', value: 'password' },
        {
          name: 'E-Mail Only (Auto-Login)',
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
        'With the keys alone, workflows read and change <b>all records</b>: Row Level Security does not apply.',
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
    ...advancedProperties,
  ];

  authenticate = (credentials: ICredentialDataDecryptedObject, requestOptions: IHttpRequestOptions) =>
    authenticateRequest(credentials, requestOptions);
}

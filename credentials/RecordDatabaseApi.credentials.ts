import type {
  Icon,
  ICredentialDataDecryptedObject,
  ICredentialType,
  IHttpRequestHelper,
  IHttpRequestOptions,
  INodeProperties,
} from 'n8n-workflow';
import { authenticateRequest } from '../nodes/shared/transport/auth/authenticateRequest';
import { authenticateUser } from '../nodes/shared/transport/auth/login';
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
      displayName: 'Act as a User',
      name: 'userLogin',
      type: 'boolean',
      default: false,
      description:
        'Whether to log in as a user of the application, so that permissions, record rules and Row Level Security apply and the logged-in-user filters work',
    },
    {
      displayName:
        'With the keys alone, workflows read and change <b>all records</b>: Row Level Security does not apply.',
      name: 'allRecordsNotice',
      type: 'notice',
      default: '',
      displayOptions: { show: { userLogin: [false] } },
    },
    {
      displayName: 'Email',
      name: 'email',
      type: 'string',
      placeholder: 'e.g. name@email.com',
      default: '',
      required: true,
      displayOptions: { show: { userLogin: [true] } },
    },
    {
      displayName: 'Password',
      name: 'password',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      displayOptions: { show: { userLogin: [true] } },
    },
    {
      displayName: 'Remember',
      name: 'remember',
      type: 'boolean',
      default: true,
      description: 'Whether to ask the service for a login that lasts longer',
      displayOptions: { show: { userLogin: [true] } },
    },
    ...advancedProperties,
    {
      displayName: 'Session Token',
      name: 'sessionToken',
      type: 'hidden',
      typeOptions: { expirable: true, password: true },
      default: '',
    },
  ];

  async preAuthentication(this: IHttpRequestHelper, credentials: ICredentialDataDecryptedObject) {
    return authenticateUser(this, credentials);
  }

  authenticate = (credentials: ICredentialDataDecryptedObject, requestOptions: IHttpRequestOptions) =>
    authenticateRequest(credentials, requestOptions);
}

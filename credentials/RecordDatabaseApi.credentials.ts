import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  IHttpRequestHelper,
  IHttpRequestOptions,
  Icon,
  INodeProperties,
} from 'n8n-workflow';
import { keyHeaders, keysOf, NO_LOGIN, openToken } from '../nodes/shared/transport/keys';
import { logIn } from '../nodes/shared/transport/login';

/** The service refuses it with 401, on which n8n logs the user in. */
const NO_TOKEN = 'none';

/**
 * Headers that were written here, with the `Authorization` that their call brought along. After a renewed
 * login n8n hands the same headers in again: what stands in them then is our own, stale one.
 */
const written = new WeakMap<object, unknown>();

/**
 * The one credential: the three keys of an application, and optionally a user to act as.
 * It is tested by the nodes (`testedBy`), which can word what is wrong; see `credentialTest.ts`.
 */
export class RecordDatabaseApi implements ICredentialType {
  name = 'recordDatabaseApi';

  displayName = 'Record Database API';

  icon: Icon = { light: 'file:../icons/recordDatabase.svg', dark: 'file:../icons/recordDatabase.dark.svg' };

  documentationUrl = 'https://github.com/n8n-nodes-record-database/n8n-nodes-record-database#credentials';

  properties: INodeProperties[] = [
    {
      displayName:
        'With the keys alone, workflows see and change <b>all records</b>: Row Level Security does not apply. Turn on "Act as a User" to work with the rights of one user.',
      name: 'allRecordsNotice',
      type: 'notice',
      default: '',
    },
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. https://app.example.com',
      description: 'Address of the service, without /api at the end',
    },
    {
      displayName: 'App ID',
      name: 'appId',
      type: 'string',
      default: '',
      required: true,
      description: 'Shown beside the API key in the settings of your application',
    },
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
      description: 'Shown only once, when the key is made. Make a new key if it was lost.',
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
    {
      displayName: 'Header Prefix',
      name: 'headerPrefix',
      type: 'string',
      default: 'Service',
      description:
        'Advanced: the word in the names of the key headers, as in X-Service-App-Key. Change it only when the documentation of your service shows another one.',
    },
    {
      displayName: 'Session Token',
      name: 'sessionToken',
      type: 'hidden',
      typeOptions: { expirable: true, password: true },
      default: '',
    },
  ];

  async preAuthentication(this: IHttpRequestHelper, credentials: ICredentialDataDecryptedObject) {
    return logIn(this, credentials);
  }

  authenticate = async (
    credentials: ICredentialDataDecryptedObject,
    requestOptions: IHttpRequestOptions,
  ): Promise<IHttpRequestOptions> => {
    const keys = keysOf(credentials);
    // Never fall back to the keys alone when a user was asked for: they would see all records.
    const bearer = openToken(keys, credentials.sessionToken) ?? NO_TOKEN;
    // A call about somebody's session brings the Authorization that it means.
    const { Authorization: given, ...headers } = requestOptions.headers ?? {};
    const own =
      requestOptions.headers && written.has(requestOptions.headers)
        ? written.get(requestOptions.headers)
        : given;
    const login = keys.userLogin ? `Bearer ${bearer}` : NO_LOGIN;
    const Authorization = own ?? login;
    requestOptions.headers = {
      ...headers,
      ...keyHeaders(keys),
      ...(Authorization !== NO_LOGIN && { Authorization }),
    };
    written.set(requestOptions.headers, own);
    return requestOptions;
  };
}

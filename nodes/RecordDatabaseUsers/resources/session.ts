import type { IDataObject } from 'n8n-workflow';
import { returnSecretsOption } from '../../n8n/agent/agent';
import { createLocator } from '../../n8n/lists/listPicker';
import type { Item } from '../../n8n/operation/item';
import { type Output, type Resource, toOutputs } from '../../n8n/operation/operation';
import { createOptions, defineParameter, type ParameterDefinition } from '../../n8n/parameters/parameter';
import { ApiError, asThrown, authEndpoints, callForUser, type Endpoint, InputError } from '../../service';

const tokenParameter = defineParameter({
  displayName: 'Token',
  name: 'token',
  type: 'string',
  typeOptions: { password: true },
  default: '',
  required: true,
  description:
    "The user's token, which Log In returns. Use an expression, so that the workflow does not store it.",
});

/** @throws InputError for a character that cannot be sent in a header */
function readToken(item: Item): string {
  const token = item.read(tokenParameter).trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new InputError(
    'Token has a space or another character that no token has',
    'Give the token as Log In returns it. An expression may have returned another value.',
  );
}

const sendRequest = async (
  item: Item,
  endpoint: Endpoint,
  request: Parameters<typeof callForUser>[2],
): Promise<Output[]> => toOutputs(await callForUser(item.client, endpoint, request));

const sendTokenRequest = (item: Item, endpoint: Endpoint): Promise<Output[]> => {
  const secret = readToken(item);
  return sendRequest(item, endpoint, { secrets: [secret], token: secret, kind: 'token' });
};

const emailParameter = defineParameter({
  displayName: 'Email',
  name: 'email',
  type: 'string',
  placeholder: 'e.g. name@email.com',
  default: '',
  required: true,
  description: 'The e-mail address of the user',
});

/** A magic link needs only Email or User ID, so an expression for the other one may return nothing. */
const magicLinkEmailParameter = defineParameter({
  ...emailParameter,
  required: false,
  allowsEmptyExpression: true,
  hint: 'Give the e-mail address or the User ID',
});

const userIdParameter = defineParameter({
  displayName: 'User ID',
  name: 'userId',
  type: 'string',
  default: '',
  allowsEmptyExpression: true,
  description: 'The ID of the user',
});

const redirectUrlParameter = defineParameter({
  displayName: 'Redirect URL',
  name: 'redirectUrl',
  type: 'string',
  default: '',
  placeholder: 'e.g. https://app.example.com/welcome',
  description: 'The URL to open after the user is logged in',
});

const pageLocator = {
  ...createLocator('Pages', 'Redirect Page', 'redirectPageId', 'Page to show once the user is logged in'),
  required: false,
  hint: 'Empty: the page that the service chooses',
} as const;

const passwordParameter = defineParameter({
  displayName: 'Password',
  name: 'password',
  type: 'string',
  typeOptions: { password: true },
  default: '',
  required: true,
  description: 'The password of the user. Use an expression, so that the workflow does not store it.',
});

const rememberParameter = defineParameter({
  displayName: 'Remember',
  name: 'remember',
  type: 'boolean',
  default: false,
  description: 'Whether to request a login that lasts longer',
});

const { autoLogin, createMagicLink, getStatus, login, logout } = authEndpoints;

/** Leaves out inputs without a value. @throws InputError if the e-mail address and the user ID are both missing */
function buildMagicLinkBody(item: Item): IDataObject {
  const values = {
    email: item.read(magicLinkEmailParameter),
    user_id: item.read(userIdParameter),
    redirect_url: item.read(redirectUrlParameter),
    redirect_page_id: item.read(pageLocator),
  };
  if (!values.email && !values.user_id) {
    throw new InputError(
      'Email or User ID is missing',
      'Give one of the two. An expression may have returned nothing.',
    );
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

/** The keys that an AI model sees. The spec shows no response to an auto-login. See silences.md: `autoLogin`. */
const shownKeys = new Set(['type', 'msg', 'status', 'user_id', 'email', 'expires_at', 'logged_in_since']);

/** For operations that return a token or link. By default, an AI model does not see this secret (`shownKeys`). */
const hideSecrets = (...parameters: ParameterDefinition[]) => ({
  writes: true,
  shownKeys,
  parameters: [...parameters, createOptions(returnSecretsOption)],
});

/** Spec: User authentication. A call sends the keys and any token of the form, never the credential's user login. */
export const session: Resource = {
  name: 'session',
  displayName: 'Session',
  operations: [
    {
      name: 'autoLogin',
      displayName: 'Auto-Login',
      action: 'Log user in without password',
      description: 'Log a user in by e-mail address only. Needs an API key that is set up for it.',
      ...hideSecrets(emailParameter),
      run: (item) =>
        sendRequest(item, autoLogin, { body: { email: item.read(emailParameter) }, kind: 'passwordless' }),
    },
    {
      name: 'createMagicLink',
      displayName: 'Create Magic Link',
      action: 'Create magic link',
      description:
        'Create a link that logs a user in without a password. Needs an API key that is set up for it.',
      ...hideSecrets(magicLinkEmailParameter, userIdParameter, redirectUrlParameter, pageLocator),
      run: (item) =>
        sendRequest(item, createMagicLink, { body: buildMagicLinkBody(item), kind: 'passwordless' }),
    },
    {
      name: 'getStatus',
      displayName: 'Get Status',
      action: 'Get status of session',
      description: 'Get whether a token is still valid, and for how long',
      parameters: [tokenParameter],
      run: (item) =>
        sendTokenRequest(item, getStatus).catch((error: unknown) => {
          if (error instanceof ApiError && error.code === 'refusedToken') return toOutputs({ valid: false });
          throw asThrown(error);
        }),
    },
    {
      name: 'login',
      displayName: 'Log In',
      action: 'Log user in',
      description: 'Log a user in and return the token, for a credential with Token under User Login',
      ...hideSecrets(emailParameter, passwordParameter, rememberParameter),
      async run(item) {
        const password = item.read(passwordParameter);
        const body = { email: item.read(emailParameter), password, remember: item.read(rememberParameter) };
        return sendRequest(item, login, { body, secrets: [password], kind: 'password' });
      },
    },
    {
      name: 'logout',
      displayName: 'Log Out',
      action: 'Log user out',
      description: 'Log a user out: the token is no longer valid',
      writes: true,
      parameters: [tokenParameter],
      run: (item) => sendTokenRequest(item, logout),
    },
  ],
};

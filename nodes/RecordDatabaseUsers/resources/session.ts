import type { IDataObject } from 'n8n-workflow';
import { authEndpoints } from '../../client/endpoints/catalogue';
import { InputError } from '../../client/input/inputError';
import { returnSecretsOption } from '../../n8n/agent/agent';
import { createLocator } from '../../n8n/lists/listPicker';
import type { Item } from '../../n8n/operation/item';
import { type Resource, toOutputs } from '../../n8n/operation/operation';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import { callSession } from './callSession';
import { getStatus, logout } from './tokenOperations';

const email = defineParameter({
  displayName: 'Email',
  name: 'email',
  type: 'string',
  placeholder: 'e.g. name@email.com',
  default: '',
  required: true,
  description: 'The e-mail address of the user',
});

/** A magic link needs the e-mail address or the ID of the user, so an expression for one of them may return nothing. */
const linkEmail = defineParameter({
  ...email,
  required: false,
  allowsEmptyExpression: true,
  description: 'The e-mail address of the user. Leave empty to give the ID instead.',
});

const linkUserId = defineParameter({
  displayName: 'User ID',
  name: 'userId',
  type: 'string',
  default: '',
  allowsEmptyExpression: true,
  description: 'The ID of the user. Leave empty to give the e-mail address instead.',
});

const redirectUrl = defineParameter({
  displayName: 'Redirect URL',
  name: 'redirectUrl',
  type: 'string',
  default: '',
  placeholder: 'e.g. https://app.example.com/welcome',
  description: 'The URL to open after the user is logged in',
});

const redirectPage = {
  ...createLocator('Pages', 'Redirect Page', 'redirectPageId', 'Page to show once the user is logged in'),
  required: false,
} as const;

const password = defineParameter({
  displayName: 'Password',
  name: 'password',
  type: 'string',
  typeOptions: { password: true },
  default: '',
  required: true,
  description: 'The password of the user. Use an expression, so that the workflow does not store it.',
});

const remember = defineParameter({
  displayName: 'Remember',
  name: 'remember',
  type: 'boolean',
  default: false,
  description: 'Whether to request a login that lasts longer',
});

const { login, autoLogin, createMagicLink } = authEndpoints;

/** Builds the body from all inputs with a value. The spec does not say which combinations are valid ("not shown"). */
function buildMagicLinkBody(item: Item): IDataObject {
  const values = {
    email: item.read(linkEmail),
    user_id: item.read(linkUserId),
    redirect_url: item.read(redirectUrl),
    redirect_page_id: item.read(redirectPage),
  };
  if (!values.email && !values.user_id) {
    throw new InputError(
      'Email or User ID is missing',
      'Give one of the two. An expression may have returned nothing.',
    );
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

/** The keys of tokens and login links. The spec does not show the response to an auto-login. */
const SECRET_KEYS = /token|secret|link|url/i;

/** Spec: User authentication. Tokens appear in the output only, not in errors or logs. */
export const session: Resource = {
  name: 'session',
  displayName: 'Session',
  operations: [
    {
      name: 'autoLogin',
      displayName: 'Auto-Login',
      action: 'Log user in without password',
      description: 'Log a user in by e-mail address only. Needs an API key that is set up for it.',
      writes: true,
      secretKeys: SECRET_KEYS,
      parameters: [email, createOptions(returnSecretsOption)],
      async run(item) {
        const body = { email: item.read(email) };
        return toOutputs(await callSession(item, autoLogin, { body, kind: 'passwordless' }));
      },
    },
    {
      name: 'createMagicLink',
      displayName: 'Create Magic Link',
      action: 'Create magic link',
      description:
        'Create a link that logs a user in without a password. Needs an API key that is set up for it.',
      writes: true,
      secretKeys: SECRET_KEYS,
      parameters: [linkEmail, linkUserId, redirectUrl, redirectPage, createOptions(returnSecretsOption)],
      async run(item) {
        return toOutputs(
          await callSession(item, createMagicLink, { body: buildMagicLinkBody(item), kind: 'passwordless' }),
        );
      },
    },
    getStatus,
    {
      name: 'login',
      displayName: 'Log In',
      action: 'Log user in',
      description:
        'Log a user in and return the token. Other nodes act as this user when their credential gets it: choose Token under User Login. The user login of the credential of this node is not used.',
      writes: true,
      secretKeys: SECRET_KEYS,
      parameters: [email, password, remember, createOptions(returnSecretsOption)],
      async run(item) {
        const secret = item.read(password);
        const body = { email: item.read(email), password: secret, remember: item.read(remember) };
        return toOutputs(await callSession(item, login, { body, secrets: [secret], kind: 'password' }));
      },
    },
    logout,
  ],
};

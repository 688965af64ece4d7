import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Item } from '../../shared/kit/item';
import { locator } from '../../shared/kit/listPicker';
import { outputs, type Resource } from '../../shared/kit/operation';
import { v11 } from '../../shared/model/endpoint';
import { InputError } from '../../shared/model/inputError';
import { askSession, secretText } from './ask';
import { getStatus, logout } from './token';

const email: INodeProperties = {
  displayName: 'Email',
  name: 'email',
  type: 'string',
  placeholder: 'e.g. name@email.com',
  default: '',
  required: true,
  description: 'The e-mail address of the user',
};

/** Logs a user in, or makes a token for one. Both may not happen twice unseen. */
const login = v11('POST /auth/login', 'once');
const autoLogin = v11('POST /auth/auto-login', 'once');
const magicLink = v11('POST /auth/magic-link', 'once');

/** @throws InputError where it is missing */
function emailOf(item: Item): string {
  const address = item.text('email');
  if (address !== '') return address;
  throw new InputError(
    'Email is missing',
    'Give the e-mail address of the user. An expression here may have found nothing.',
  );
}

/** What was filled in, and nothing empty: the exact rule for these inputs is "not shown". */
function magicLinkBody(item: Item): IDataObject {
  const values = {
    email: item.text('email'),
    user_id: item.text('userId'),
    redirect_url: item.optional('redirectUrl'),
    redirect_page_id: item.optional('redirectPageId'),
  };
  if (!values.email && !values.user_id) {
    throw new InputError('Nobody is named', 'Give the e-mail address or the ID of the user.');
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

/** Spec: User authentication. The tokens are the output; they appear nowhere else. */
export const session: Resource = {
  name: 'session',
  displayName: 'Session',
  operations: [
    {
      name: 'autoLogin',
      displayName: 'Auto-Login',
      action: 'Log a user in without a password',
      description: 'Log a user in by e-mail alone. Needs an API key that is set up for it.',
      endpoints: [autoLogin],
      parameters: [email],
      async run(item) {
        const body = { email: emailOf(item) };
        return outputs(await askSession(item, autoLogin, { body, kind: 'passwordless' }));
      },
    },
    {
      name: 'createMagicLink',
      displayName: 'Create Magic Link',
      action: 'Create a magic link',
      description:
        'Make a link that logs a user in without a password. Needs an API key that is set up for it.',
      endpoints: [magicLink],
      parameters: [
        { ...email, required: false, description: 'The e-mail address of the user, or give the ID below' },
        {
          displayName: 'User ID',
          name: 'userId',
          type: 'string',
          default: '',
          description: 'The ID of the user, or give the e-mail address above',
        },
        {
          displayName: 'Redirect URL',
          name: 'redirectUrl',
          type: 'string',
          default: '',
          placeholder: 'e.g. https://app.example.com/welcome',
          description: 'Where the link leads once the user is logged in',
        },
        {
          ...locator('Pages', 'Redirect Page', 'redirectPageId', 'Page to show once the user is logged in'),
          required: false,
        },
      ],
      async run(item) {
        return outputs(
          await askSession(item, magicLink, { body: magicLinkBody(item), kind: 'passwordless' }),
        );
      },
    },
    getStatus,
    {
      name: 'login',
      displayName: 'Log In',
      action: 'Log a user in',
      description:
        'Log a user in and return the token. Where the credential acts as a user, n8n logs that one in first; this call does not use that login.',
      endpoints: [login],
      parameters: [
        email,
        {
          displayName: 'Password',
          name: 'password',
          type: 'string',
          typeOptions: { password: true },
          default: '',
          required: true,
          description: 'The password of the user. Use an expression, so that it is not saved here.',
        },
        {
          displayName: 'Remember',
          name: 'remember',
          type: 'boolean',
          default: false,
          description: 'Whether to ask the service for a login that lasts longer',
        },
      ],
      async run(item) {
        const password = secretText(item, 'password');
        const body = { email: emailOf(item), password, remember: item.flag('remember') };
        return outputs(await askSession(item, login, { body, secrets: [password], kind: 'password' }));
      },
    },
    logout,
  ],
};

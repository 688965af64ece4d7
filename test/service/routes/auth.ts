import { z } from 'zod';
import { ApiError, denied, invalid, notFound } from '../http/errors';
import { route, type Call, type Routes } from '../http/route';
import { DAY, HOUR, timestamp } from '../state/time';
import type { Session } from '../state/users';
import { requiredText, success } from './common';

const email = requiredText.email('Email must be valid');

export const auth = {
  'POST /api/v1.1/{appId}/auth/login': route({
    bearer: 'none',
    json: { email, password: requiredText, remember: z.boolean().optional() },
    handle: ({ json, app }) => {
      const user = app.users.find({ email: json.email });
      if (user?.password !== json.password) {
        app.logs.failedLogin(json.email);
        throw new ApiError(401, 'Invalid email or password');
      }
      const session = app.users.open(user, 'Login');
      app.logs.login(session);
      return app.users.describe(session);
    },
  }),

  'POST /api/v1.1/{appId}/auth/logout': route({
    bearer: 'own',
    handle: (call) => {
      const session = sessionOf(call);
      if (!call.app.users.isValid(session)) throw new ApiError(401, 'Token Expired');
      session.loggedOut = true;
      return success({ msg: 'Logged out successfully' });
    },
  }),

  /** Tells valid from expired instead of refusing an expired token (spec: Method 2, rule 6). */
  'POST /api/v1.1/{appId}/auth/status': route({
    bearer: 'own',
    handle: (call) => {
      const { app } = call;
      const session = sessionOf(call);
      const valid = app.users.isValid(session);
      return success({
        valid,
        expires_at: timestamp(session.expiresAt),
        time_remaining: remaining(valid ? session.expiresAt - app.options.clock.now() : 0),
      });
    },
  }),

  'POST /api/v1.1/{appId}/auth/auto-login': route({
    bearer: 'none',
    json: { email },
    handle: ({ json, app, key }) => {
      if (!key?.passwordless) throw denied();
      const user = app.users.find(json);
      if (!user) throw notFound('User');
      const session = app.users.open(user, 'Auto-login');
      app.logs.login(session);
      return app.users.describe(session);
    },
  }),

  /** The exact rule for these inputs is "not shown"; one of them has to name the user. */
  'POST /api/v1.1/{appId}/auth/magic-link': route({
    bearer: 'none',
    json: {
      email: email.optional(),
      user_id: requiredText.optional(),
      redirect_url: z.string().optional(),
      redirect_page_id: z.string().optional(),
    },
    handle: ({ json, app, key }) => {
      if (!key?.passwordless) throw denied();
      if (json.email === undefined && json.user_id === undefined) {
        throw invalid({ email: ['This field is required'] });
      }
      const user = app.users.find({ email: json.email, id: json.user_id });
      if (!user) throw notFound('User');
      const { token } = app.users.open(user, 'Magic link');
      return success({ token, magicLinkUrl: `${app.files.baseUrl}/magic-link?token=${token}` });
    },
  }),
} satisfies Routes;

/** The session of the token sent, which these two endpoints cannot do without. */
function sessionOf({ token, app, report }: Call): Session {
  if (token === undefined) report('no Bearer token where the spec asks for one');
  const session = app.users.session(token ?? '');
  if (!session) throw new ApiError(401, 'Invalid Token');
  return session;
}

const remaining = (ms: number): string =>
  `${Math.floor(ms / DAY)} days ${Math.floor((ms % DAY) / HOUR)} hours`;

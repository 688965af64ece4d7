import { omit } from 'lodash';
import { z } from 'zod';
import { createDeniedError, createNotFoundError, createValidationError, ResponseError } from '../http/errors';
import { type Call, defineRoute, type Routes } from '../http/route';
import { DAY, formatTimestamp, HOUR } from '../state/time';
import type { Session } from '../state/users';
import { createSuccess, requiredText } from './common';

const email = requiredText.email('Email must be valid');

export const auth = {
  'POST /api/v1.1/{appId}/auth/login': defineRoute({
    bearer: 'none',
    json: { email, password: requiredText, remember: z.boolean().optional() },
    handle: ({ json, app }) => {
      const user = app.users.find({ email: json.email });
      if (user?.password !== json.password) {
        app.logs.recordFailedLogin(json.email);
        throw new ResponseError(401, 'Invalid email or password');
      }
      const session = app.users.openSession(user, 'Login');
      app.logs.recordLogin(session);
      return app.users.describeSession(session);
    },
  }),

  'POST /api/v1.1/{appId}/auth/logout': defineRoute({
    bearer: 'own',
    handle: (call) => {
      const session = requireSession(call);
      if (!call.app.users.isValid(session)) throw new ResponseError(401, 'Token Expired');
      session.loggedOut = true;
      return { ...call.app.users.success, msg: 'Logged out successfully' };
    },
  }),

  /**
   * Answers `valid: false` for an expired token instead of 401 (spec: Method 2, rule 6); 401 where the answer has no
   * such key.
   */
  'POST /api/v1.1/{appId}/auth/status': defineRoute({
    bearer: 'own',
    handle: (call) => {
      const { app } = call;
      const session = requireSession(call);
      const valid = app.users.isValid(session);
      if (app.options.sessionAnswers === 'status') {
        if (!valid) throw new ResponseError(401, 'Token Expired');
        return { ...omit(app.users.describeSession(session), 'token'), msg: 'Logged in' };
      }
      return createSuccess({
        valid,
        expires_at: formatTimestamp(session.expiresAt, app.options.timeZone),
        time_remaining: formatRemaining(valid ? session.expiresAt - app.options.clock.now() : 0),
      });
    },
  }),

  'POST /api/v1.1/{appId}/auth/auto-login': defineRoute({
    bearer: 'none',
    json: { email },
    handle: ({ json, app, key }) => {
      if (!key?.passwordless) throw createDeniedError();
      const user = app.users.find(json);
      if (!user) throw createNotFoundError('User');
      const session = app.users.openSession(user, 'Auto-login');
      app.logs.recordLogin(session);
      return app.users.describeSession(session);
    },
  }),

  /** The rule for these inputs is "not shown"; here `email` or `user_id` is required. */
  'POST /api/v1.1/{appId}/auth/magic-link': defineRoute({
    bearer: 'none',
    json: {
      email: email.optional(),
      user_id: requiredText.optional(),
      redirect_url: z.string().optional(),
      redirect_page_id: z.string().optional(),
    },
    handle: ({ json, app, key }) => {
      if (!key?.passwordless) throw createDeniedError();
      if (json.email === undefined && json.user_id === undefined) {
        throw createValidationError({ email: ['This field is required'] });
      }
      const user = app.users.find({ email: json.email, id: json.user_id });
      if (!user) throw createNotFoundError('User');
      const { token } = app.users.openSession(user, 'Magic link');
      return createSuccess({ token, magicLinkUrl: `${app.files.baseUrl}/magic-link?token=${token}` });
    },
  }),
} satisfies Routes;

/** The session of the token that logout and status need. @throws ResponseError 401 */
function requireSession({ token, app, report }: Call): Session {
  if (token === undefined) report('no Bearer token where the spec asks for one');
  const session = app.users.findSession(token ?? '');
  if (!session) throw new ResponseError(401, 'Invalid Token');
  return session;
}

const formatRemaining = (ms: number): string =>
  `${Math.floor(ms / DAY)} days ${Math.floor((ms % DAY) / HOUR)} hours`;

import { loginSchema, magicLinkSchema, sessionStatusSchema } from '../responses/auth';
import { objectSchema } from '../responses/schemas';
import { defineV11 } from './endpoint';

/** Spec: User authentication. */
export const authEndpoints = {
  login: defineV11('POST /auth/login', { response: loginSchema, subject: 'user' }),
  logout: defineV11('POST /auth/logout', { effect: 'idempotent', subject: 'session' }),
  getStatus: defineV11('POST /auth/status', {
    effect: 'read',
    response: sessionStatusSchema,
    subject: 'session',
  }),
  /** The spec does not define the response. An empty one is an error, because it contains no login. */
  autoLogin: defineV11('POST /auth/auto-login', { response: objectSchema, subject: 'user' }),
  createMagicLink: defineV11('POST /auth/magic-link', { response: magicLinkSchema, subject: 'user' }),
};

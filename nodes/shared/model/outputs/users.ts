import { z } from 'zod';
import { createTextShape } from './shapes';

/** Items about logins of users (spec: User authentication). */

export const loginTokenOutput = z.object(createTextShape('token user_id expires_at logged_in_since'));

export const sessionStatusOutput = z.object({
  valid: z.boolean(),
  ...createTextShape('expires_at time_remaining'),
});

export const magicLinkOutput = z.object(createTextShape('token magicLinkUrl'));

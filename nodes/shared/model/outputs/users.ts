import { z } from 'zod';

/** Items about logins of users (spec: User authentication). */

export const loginTokenOutput = z.object({
  token: z.string(),
  user_id: z.string(),
  expires_at: z.string(),
  logged_in_since: z.string(),
});

export const sessionStatusOutput = z.object({
  valid: z.boolean(),
  expires_at: z.string(),
  time_remaining: z.string(),
});

export const magicLinkOutput = z.object({ token: z.string(), magicLinkUrl: z.string() });

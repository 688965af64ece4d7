import { z } from 'zod';

const filledTextSchema = z.string().min(1);

/** Spec: User authentication, login. */
export const loginSchema = z.object({ token: filledTextSchema }).passthrough();

/** Spec: User authentication, magic link. */
export const magicLinkSchema = z.object({ magicLinkUrl: filledTextSchema }).passthrough();

/** Spec: User authentication, status. `valid` keeps its type, which the spec does not define. */
export const sessionStatusSchema = z
  .object({ valid: z.custom<NonNullable<unknown>>((value) => value !== undefined && value !== null) })
  .passthrough();

import { z } from 'zod';

/** Items about an application: its tables, fields, roles, subscriptions and API key (spec: Resources). */

export const tableOutput = z.object({ id: z.string(), name: z.string() });

/** Spec: Field, full. */
export const fieldOutput = z.object({
  slug: z.string(),
  fieldId: z.string(),
  name: z.string(),
  type: z.string(),
  description: z.string(),
  default_value: z.string(),
  is_unique: z.string(),
  options: z.array(z.object({ label: z.string(), value: z.string() })),
  join: z.object({
    join_type: z.string(),
    data_table_id: z.string(),
    field_slug: z.string(),
    field_id: z.string(),
  }),
});

export const roleOutput = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  enable_stripe: z.string(),
});

/** Spec: Webhook subscription. */
export const webhookOutput = z.object({
  id: z.string(),
  data_table_id: z.string(),
  type: z.string(),
  hookUrl: z.string(),
  platform: z.string(),
});

/** Spec: Webhooks, subscribe. */
export const subscribedOutput = z.object({ id: z.string(), msg: z.string() });

const createLimitShape = <const Name extends string>(name: Name) => ({
  [`${name}_allowed`]: z.number(),
  [`${name}_remaining`]: z.number(),
  [`${name}_resets_in_seconds`]: z.number(),
  [`${name}_reset_timestamp`]: z.number(),
});

const PERMISSIONS = [
  'read',
  'create',
  'update',
  'delete',
  'tasks',
  'pages',
  'imports',
  'exports',
  'logs',
  'pdf_forms',
  'pdf_pages',
];

/** Spec: API status record. Nested keys are joined with an underscore. */
export const keyStatusOutput = z.object({
  current_code: z.number(),
  api_key_id: z.string(),
  api_key_status: z.string(),
  api_key_created_at: z.string(),
  ...Object.fromEntries(PERMISSIONS.map((name) => [`permissions_${name}`, z.boolean()])),
  ...createLimitShape('per_minute_limit'),
  ...createLimitShape('per_day_limit'),
});

import { z } from 'zod';
import { createNumberShape, createTextShape } from './shapes';

/** Items about an application: its tables, fields, roles, subscriptions and API key (spec: Resources). */

export const tableOutput = z.object(createTextShape('id name'));

/** Spec: Field, full. */
export const fieldOutput = z.object({
  ...createTextShape('slug fieldId name type description default_value is_unique'),
  options: z.array(z.object(createTextShape('label value'))),
  join: z.object(createTextShape('join_type data_table_id field_slug field_id')),
});

export const roleOutput = z.object(createTextShape('id name description enable_stripe'));

/** Spec: Webhook subscription. */
export const webhookOutput = z.object(createTextShape('id data_table_id type hookUrl platform'));

/** Spec: Webhooks, subscribe. */
export const subscribedOutput = z.object(createTextShape('id msg'));

const PERMISSIONS = 'read create update delete tasks pages imports exports logs pdf_forms pdf_pages'.split(
  ' ',
);

const createLimitShape = (name: string) =>
  createNumberShape(`${name}_allowed ${name}_remaining ${name}_resets_in_seconds ${name}_reset_timestamp`);

/** Spec: API status record. Nested keys are joined with an underscore. */
export const keyStatusOutput = z.object({
  current_code: z.number(),
  ...createTextShape('api_key_id api_key_status api_key_created_at'),
  ...Object.fromEntries(PERMISSIONS.map((name) => [`permissions_${name}`, z.boolean()])),
  ...createLimitShape('per_minute_limit'),
  ...createLimitShape('per_day_limit'),
});

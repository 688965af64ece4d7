/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { join } from 'node:path';
import { z } from 'zod';
import { OUTPUTS, type OutputSchema, TRIGGER_OUTPUTS } from './outputs';

/** n8n reads the schemas of a node of version 1 from this folder beside the node. */
const FOLDER = join('__schema__', 'v1.0.0');

/** Converts the types that outputs use to JSON Schema. @throws Error for any other type */
function toJsonSchema(schema: z.ZodTypeAny): object {
  if (schema instanceof z.ZodString) return { type: 'string' };
  if (schema instanceof z.ZodNumber) return { type: 'number' };
  if (schema instanceof z.ZodBoolean) return { type: 'boolean' };
  if (schema instanceof z.ZodArray)
    return { type: 'array', items: toJsonSchema(schema.element as z.ZodTypeAny) };
  if (!(schema instanceof z.ZodObject)) throw new Error(`No JSON Schema for ${schema.constructor.name}`);
  const properties = Object.entries(schema.shape as z.ZodRawShape).map(([key, value]) => [
    key,
    toJsonSchema(value),
  ]);
  return { type: 'object', properties: Object.fromEntries(properties) as object };
}

const formatSchema = (output: OutputSchema): string =>
  `${JSON.stringify({ ...toJsonSchema(output), version: 1 }, null, 2)}\n`;

/** The text of each schema file, by its path below `nodes/`. */
export function formatOutputSchemas(): Map<string, string> {
  const actions = Object.entries(OUTPUTS).map(([name, output]) => {
    const [folder, resource, operation] = name.split(' ') as [string, string, string];
    return [join(folder, FOLDER, resource, `${operation}.json`), formatSchema(output)] as const;
  });
  const triggers = Object.entries(TRIGGER_OUTPUTS).map(
    ([folder, output]) => [join(folder, `${FOLDER}.json`), formatSchema(output)] as const,
  );
  return new Map([...actions, ...triggers]);
}

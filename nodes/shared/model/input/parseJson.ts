/** Parses JSON. Undefined for text that is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Parses a JSON object. Undefined for any other text. */
export function parseJsonObject(text: string): object | undefined {
  const value = text.trimStart().startsWith('{') ? parseJson(text) : undefined;
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** Matches a Markdown code block, in which language models often write JSON. */
const CODE_BLOCK = /^\s*```\w*\s*([\s\S]*?)\s*```\s*$/;

/**
 * Parses JSON text, JSON in a code block and JSON text that contains JSON text. Undefined for text that is not
 * valid JSON.
 */
export function parseLooseJson(text: string): unknown {
  const value = parseJson(CODE_BLOCK.exec(text)?.[1] ?? text);
  const inner = typeof value === 'string' ? parseJson(value) : undefined;
  return typeof inner === 'object' && inner !== null ? inner : value;
}

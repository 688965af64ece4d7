import { formatForError, InputError } from '../../model/input/inputError';
import { parseNames } from '../../model/input/parseList';

const ANY_PORT = ':*';

/** Returns a host in the notation of URLs, or undefined for a text that is more or less than a host. */
function parseHost(text: string): string | undefined {
  const [name = '', suffix = ''] = text.endsWith(ANY_PORT)
    ? [text.slice(0, -ANY_PORT.length), ANY_PORT]
    : [text];
  const address = `http://${name}/`;
  const url = /^[^/?#@\\\s*]+$/.test(name) && URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (suffix && url.port)) return undefined;
  // An address of https does not show its port 443, as one of http does not show 80.
  return (url.port === '443' ? url.hostname : url.host) + suffix;
}

/**
 * Parses the setting File Hosts: hosts separated by commas. A host may have a port, or `:*` for any port.
 * @throws InputError
 */
export function parseFileHosts(value: unknown): string[] {
  return parseNames(value).map((text) => {
    const host = parseHost(text);
    if (host !== undefined) return host;
    throw new InputError(
      `File Hosts cannot be ${formatForError(text)}`,
      'Open the Record Database API credential and give hosts separated by commas, without https:// and without a path: files.internal, 10.0.0.5:9000, storage:* for any port.',
    );
  });
}

/** Whether an address is at a host of the setting. A host without a port has the ports of http and https. */
export const matchesHost = (url: URL, entry: string): boolean =>
  url.host === entry || url.hostname + ANY_PORT === entry;

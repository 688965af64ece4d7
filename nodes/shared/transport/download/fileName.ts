const EXTENDED_FILE_NAME = /filename\*\s*=\s*UTF-8''([^;]+)/i;
const PLAIN_FILE_NAME = /filename\s*=\s*(?:"([^"]*)"|([^;]+))/i;

/**
 * Control characters and characters that change the direction of text, which can make `gpj.exe` look like
 * `exe.jpg`.
 */
const INVISIBLE_CHARACTERS = /[\p{Cc}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the name of the file from the header or the address. The result never contains a path. */
export function parseFileName(header: string, path = ''): string {
  const plain = PLAIN_FILE_NAME.exec(header);
  const named =
    EXTENDED_FILE_NAME.exec(header)?.[1] ?? plain?.[1] ?? plain?.[2] ?? path.split('/').pop() ?? '';
  const name = decodeLeniently(named.trim())
    .replace(/^.*[/\\]/s, '')
    .replace(INVISIBLE_CHARACTERS, '');
  return /^\.*$/.test(name) ? 'file' : name;
}

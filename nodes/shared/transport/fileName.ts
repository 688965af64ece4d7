const EXTENDED = /filename\*\s*=\s*UTF-8''([^;]+)/i;
const PLAIN = /filename\s*=\s*(?:"([^"]*)"|([^;]+))/i;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The file's name, from the header or the address; a name only, never a path. */
export function fileNameOf(header: string, path = ''): string {
  const plain = PLAIN.exec(header);
  const named = EXTENDED.exec(header)?.[1] ?? plain?.[1] ?? plain?.[2] ?? path.split('/').pop() ?? '';
  const name = decoded(named.trim())
    .replace(/^.*[/\\]/, '')
    .replace(/[\u0000-\u001f]/g, '');
  return /^\.*$/.test(name) ? 'file' : name;
}

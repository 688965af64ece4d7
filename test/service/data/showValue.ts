/** What answers have for stored values: where `ServiceOptions` vary it, or where a value is not shown as it is stored. */
import type { ShowContext } from './fieldTypes';

export const showChoices = (stored: unknown, { options }: ShowContext): unknown =>
  options.emptyChoices === 'met' && (stored as string[]).length === 0 ? [''] : stored;

export const showNumber = (stored: unknown, { options }: ShowContext): unknown =>
  stored ?? options.blankNumber;

export const showPassword = (stored: unknown): unknown => (stored === '' ? '' : '********');

export const showLink = (stored: unknown, { options }: ShowContext): unknown =>
  options.compositeValues === 'met' ? stored : (stored as { link: string }).link;

export function showAddress(stored: unknown): unknown {
  const { zip, lng, lat, country, ...rest } = stored as Record<string, string>;
  return { ...rest, country, zip, lng: lng ?? '', lat: lat ?? '' };
}

/** A stored end as a Date-Time. */
export const addMidnight = (end: unknown): unknown =>
  typeof end === 'string' && end.length === 10 ? `${end} 00:00:00` : end;

export function showRange(stored: unknown): unknown {
  const { start, end, all_day } = stored as Record<string, unknown>;
  return { start: addMidnight(start) ?? '', end: addMidnight(end) ?? '', all_day: all_day ?? 'No' };
}

/** Stored are addresses: the record holds them as they are, or what is known about the file. */
export function showFile(stored: unknown, context: ShowContext): unknown {
  if (Array.isArray(stored)) return stored.map((one) => showFile(one, context));
  if (stored === '' || context.options.compositeValues === 'documented') return stored;
  const { size, name, ...rest } = describeFile(String(stored), context);
  return { ...rest, size: String(size), file_name: name };
}

export function showFiles(stored: unknown, context: ShowContext): unknown {
  if (context.options.compositeValues === 'documented') return stored;
  return (stored as string[]).map((url) => {
    const { name, ...rest } = describeFile(url, context);
    return { ...rest, fileName: name, fileId: rest.key.split('/')[2] };
  });
}

/** Files of the sample data are stored before the host of the files has an address. */
function describeFile(stored: string, { files }: ShowContext) {
  const url = stored.startsWith('/') ? files.baseUrl + stored : stored;
  const key = URL.canParse(url) ? new URL(url).pathname : url;
  const file = files.find(key);
  const name = file?.filename ?? decodeURIComponent(key.split('/').at(-1) ?? '');
  return {
    type: file?.contentType.startsWith('image/') ? 'image' : 'file',
    disk: 's3',
    status: 'true',
    key,
    secured: 'No',
    url,
    ext: name.split('.').at(-1) ?? '',
    size: file?.bytes.length ?? 0,
    name,
  };
}

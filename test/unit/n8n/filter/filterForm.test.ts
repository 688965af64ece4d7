import { filterJsonParameter } from '../../../../nodes/n8n/filter/filterForm';
import { getKind, parseFilterJson } from '../../../../nodes/records';
import { KIND_NAMES } from '../../records/fields/fieldTools';

/** Returns the JSON after a text of a description, up to the end of its sentence. */
function findJson(description: string, before: string): string {
  const rest = description.slice(description.indexOf(before) + before.length);
  const length = [...rest].findIndex((_, index) => isJson(rest.slice(0, index + 1)));
  if (!description.includes(before) || length < 0) throw new Error(`no JSON after ${before}`);
  return rest.slice(0, length + 1);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the descriptions of JSON filters, which an AI model may read', () => {
  test('the examples of Filter (JSON) are filters', () => {
    const description = String(filterJsonParameter.description);
    const short = parseFilterJson(findJson(description, 'Example: '));
    expect(short.conditions.map(({ field, operator }) => [field, operator])).toEqual([
      ['status', 'is'],
      ['price', '$gte'],
      ['price', '$lt'],
    ]);
    expect(short.groups).toHaveLength(1);
    const service = parseFilterJson(findJson(description, 'The form of the service is valid too: '));
    expect(service).toEqual(parseFilterJson({ status: 'active' }));
  });

  test('the operators of Filter (JSON) exist', () => {
    const [, sentence] = /Common operators are (.+?);/.exec(String(filterJsonParameter.description)) ?? [];
    const named = [...String(sentence).matchAll(/"([^"]+)"/g)].map(([, name]) => name);
    const all = KIND_NAMES.flatMap((kind) => getKind({ kind }).operators.map(({ name }) => name));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !all.includes(String(name)))).toEqual([]);
  });
});

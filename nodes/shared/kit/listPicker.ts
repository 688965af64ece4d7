import type {
  ILoadOptionsFunctions,
  INodeListSearchResult,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';
import { SOURCES, type ListName, type Source } from './listSources';
import { readOptions } from './listOptions';
import { lookUp, pickedId } from './pickers';

async function optionsFrom(context: ILoadOptionsFunctions, source: Source): Promise<INodePropertyOptions[]> {
  const path = source.within ? { [source.within]: pickedId(context, source.within) } : {};
  if (source.within && !path[source.within]) return [];
  return lookUp(context, (client) => readOptions(client, source, path));
}

const searchMethod = (source: Source) =>
  async function (this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
    const wanted = (filter ?? '').toLowerCase();
    const options = await optionsFrom(this, source);
    return {
      results: options
        .filter(({ name: shown, value }) => shown.toLowerCase().includes(wanted) || value === filter)
        .map(({ name: shown, value }) => ({ name: shown, value: String(value) })),
    };
  };

const methodsOf = <T>(prefix: string, make: (source: Source) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(SOURCES).map(([list, source]) => [prefix + list, make(source)]));

/** `searchTasks`, `searchPages` …, for locators. */
export const listSearches = methodsOf('search', searchMethod);

/** `getLayouts`, `getRoles` …, for plain dropdowns. */
export const listOptions = methodsOf(
  'get',
  (source) =>
    async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
      return optionsFrom(this, source);
    },
);

/** In a sentence: "PDF Form" is "PDF form". */
const lowered = (title: string) => title.replace(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());

/** n8n then empties the field when another page or table is picked: its value would be of the one before. */
export const emptiedWith = (list: ListName): Pick<INodeProperties, 'typeOptions'> => {
  const { within }: Source = SOURCES[list];
  return within ? { typeOptions: { loadOptionsDependsOn: [`${within}.value`] } } : {};
};

/** A locator over one of the lists: from the list, or by id. */
export const locator = (
  list: ListName,
  displayName: string,
  parameter: string,
  description: string,
): INodeProperties => ({
  displayName,
  name: parameter,
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  required: true,
  description,
  ...emptiedWith(list),
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: `Select ${/^[aeiou]/i.test(displayName) ? 'an' : 'a'} ${lowered(displayName)}…`,
      typeOptions: { searchListMethod: `search${list}`, searchable: true },
    },
    { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. T1x9Kq' },
  ],
});

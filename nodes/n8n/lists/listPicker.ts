import type {
  ILoadOptionsFunctions,
  INodeListSearchResult,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';
import { defineParameter } from '../parameters/parameter';
import {
  LIST_SOURCES,
  type ListName,
  type ListSource,
  fetchListOptions,
  getPickedId,
  lookUpList,
} from './fetchListOptions';
import { getPickedPageId } from './tablePickers';

async function loadListOptions(
  context: ILoadOptionsFunctions,
  list: ListName,
  isSearch: boolean,
): Promise<INodePropertyOptions[]> {
  const { within, ...source }: ListSource = LIST_SOURCES[list];
  const parent = within && getParentId(context, list, within);
  if (parent === '') return [];
  const path: Record<string, string> = within && parent ? { [within]: parent } : {};
  return lookUpList(context, `${list} ${parent ?? ''}`, isSearch, (client) =>
    fetchListOptions(client, source, path),
  );
}

/** The ID of the parent. Child pages belong to the picked page; components may belong to a picked child page. */
const getParentId = (context: ILoadOptionsFunctions, list: ListName, within: string): string =>
  within === 'pageId' && list !== 'ChildPages' ? getPickedPageId(context) : getPickedId(context, within);

const createSearchMethod = (list: ListName) =>
  async function (this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
    const wanted = (filter ?? '').toLowerCase();
    const options = await loadListOptions(this, list, filter !== undefined);
    return {
      results: options
        .filter(({ name: shown, value }) => shown.toLowerCase().includes(wanted) || value === filter)
        .map(({ name: shown, value }) => ({ name: shown, value: String(value) })),
    };
  };

const createMethods = <T>(prefix: string, create: (list: ListName) => T): Record<string, T> =>
  Object.fromEntries((Object.keys(LIST_SOURCES) as ListName[]).map((list) => [prefix + list, create(list)]));

/** The search methods of resource locators: `searchTasks`, `searchPages` and so on. */
export const listSearchMethods = createMethods('search', createSearchMethod);

/** The methods of plain dropdowns: `getLayouts`, `getRoles` and so on. */
export const loadOptionsMethods = createMethods(
  'get',
  (list) =>
    async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
      return loadListOptions(this, list, false);
    },
);

/** Converts a title for use in a sentence: "PDF Form" becomes "PDF form". */
const lowercaseTitle = (title: string) =>
  title.replace(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());

/** Makes n8n clear the field when the user picks another parent, because the old value belongs to the old parent. */
export const resetWithParent = (list: ListName): Pick<INodeProperties, 'typeOptions'> => {
  const { within }: ListSource = LIST_SOURCES[list];
  if (!within) return {};
  const parents = list === 'Components' ? [within, 'childPageId'] : [within];
  return { typeOptions: { loadOptionsDependsOn: parents.map((name) => `${name}.value`) } };
};

/** A resource locator with the modes "From List" and "By ID". */
export const createLocator = (list: ListName, displayName: string, parameter: string, description: string) =>
  defineParameter({
    displayName,
    name: parameter,
    type: 'resourceLocator',
    default: { mode: 'list', value: '' },
    required: true,
    description,
    ...resetWithParent(list),
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        placeholder: `Select ${/^[aeiou]/i.test(displayName) ? 'an' : 'a'} ${lowercaseTitle(displayName)}…`,
        typeOptions: { searchListMethod: `search${list}`, searchable: true },
      },
      { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. T1x9Kq' },
    ],
  });

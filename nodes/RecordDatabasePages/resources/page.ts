import { createLocator, createUnknownEntryError } from '../../n8n/lists/listPicker';
import type { Item } from '../../n8n/operation/item';
import {
  type Operation,
  type Resource,
  createGetOperation,
  createListOperation,
  toOutputs,
} from '../../n8n/operation/operation';
import { defineParameter } from '../../n8n/parameters/parameter';
import { asObject, pageEndpoints } from '../../service';

export const pageLocator = createLocator('Pages', 'Page', 'pageId', 'The page to work with');

const { list: listPages, listChildren, listSelectedChildren, listLayouts } = pageEndpoints;

const layoutParameter = defineParameter({
  displayName: 'Layout Name or ID',
  name: 'layout',
  type: 'options',
  default: '',
  allowArbitraryValues: true,
  typeOptions: { loadOptionsMethod: 'getLayouts' },
  hint: 'Empty: any layout',
  description:
    'Only pages with this layout. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
});

/**
 * Keeps the pages with the chosen layout. Pages have `layout_id` or `layout` (spec: Page), which may be a name, an ID or an
 * object.
 */
async function filterByLayout(item: Item, pages: unknown[], wanted: string): Promise<unknown[]> {
  const { body } = await item.client.call(listLayouts);
  const chosen = body.items.map(asObject).find(({ id }) => String(id) === wanted);
  if (!chosen) throw createUnknownEntryError('layout', [wanted]);
  return pages.filter((page) => {
    const { layout_id: id, layout } = asObject(page);
    return [wanted, String(chosen.name)].includes(String(id ?? asObject(layout).id ?? layout));
  });
}

const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many pages',
  description: 'Get the pages of the application',
  parameters: [layoutParameter],
  async run(item) {
    const wanted = item.read(layoutParameter);
    const { body } = await item.client.call(listPages);
    return toOutputs(wanted ? await filterByLayout(item, body.items, wanted) : body.items);
  },
};

const childPages = defineParameter({
  displayName: 'Child Page Names or IDs',
  name: 'childIds',
  type: 'multiOptions',
  default: [],
  typeOptions: { loadOptionsMethod: 'getChildPages', loadOptionsDependsOn: ['pageId.value'] },
  hint: 'Empty: all child pages',
  description:
    'Only these child pages. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
});

const getChildren: Operation = {
  name: 'getChildren',
  displayName: 'Get Children',
  action: 'Get child pages of page',
  description: 'Get all or some child pages of a page',
  parameters: [pageLocator, childPages],
  async run(item) {
    const pageId = item.read(pageLocator);
    const childIds = item.read(childPages);
    const endpoint = childIds.length === 0 ? listChildren : listSelectedChildren;
    const { body } = await item.client.call(endpoint, { path: { pageId, childIds } });
    const found = new Set(body.items.map((one) => String(asObject(one).id)));
    const missing = childIds.filter((id) => !found.has(id));
    if (missing.length > 0) throw createUnknownEntryError('child page', missing);
    return toOutputs(body.items);
  },
};

export const page: Resource = {
  name: 'page',
  displayName: 'Page',
  operations: [
    createGetOperation({
      action: 'Get page',
      description: 'Get one page',
      endpoint: pageEndpoints.get,
      parameters: [pageLocator],
    }),
    getAll,
    getChildren,
  ],
};

/** Spec: Layouts, pages and components. */
export const layout: Resource = {
  name: 'layout',
  displayName: 'Layout',
  operations: [
    createListOperation({
      action: 'Get many layouts',
      description: 'Get the layouts that pages can have',
      endpoint: pageEndpoints.listLayouts,
    }),
  ],
};

import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { askedOnce } from '../../shared/kit/askedOnce';
import { locator } from '../../shared/kit/listPicker';
import type { Item } from '../../shared/kit/item';
import { callOperation, outputs, type Operation, type Resource } from '../../shared/kit/operation';
import { objectIn } from '../../shared/model/answer';
import { v11 } from '../../shared/model/endpoint';
import { itemIn } from '../../shared/model/envelope';
import { listIn } from '../../shared/model/responses';
import { listLayouts } from './layout';

export const pageLocator = locator('Pages', 'Page', 'pageId', 'The page to work with');

const listPages = v11('GET /pages');
const children = v11('GET /pages/{pageId}/childs');
const selectedChildren = v11('GET /pages/{pageId}/childs/{childIds}');

/** The list is under `items` or under `pages` (spec: Layouts, pages and components). */
const pagesIn = (body: unknown) => listIn(body, 'pages') ?? listIn(body, 'items');

const layoutParameter: INodeProperties = {
  displayName: 'Layout Name or ID',
  name: 'layout',
  type: 'options',
  default: '',
  typeOptions: { loadOptionsMethod: 'getLayouts' },
  description:
    'Only pages with this layout; leave empty for all. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

const layoutsOf = askedOnce(async (client) => {
  const { body } = await client.call(listLayouts);
  return (listIn(body, 'items') ?? []) as IDataObject[];
});

/**
 * One shape of the list has `layout_id`, the other `layout` (spec: Page), which is not shown: a name, an id or an
 * object.
 */
async function withLayout(item: Item, pages: unknown[], wanted: string): Promise<unknown[]> {
  const layouts = await layoutsOf(item.client);
  const names = layouts.filter(({ id }) => String(id) === wanted).map(({ name }) => String(name));
  return (pages as IDataObject[]).filter(({ layout_id: id, layout }) =>
    [wanted, ...names].includes(String(id ?? objectIn(layout).id ?? layout ?? '')),
  );
}

const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many pages',
  description: 'Get the pages of the application',
  endpoints: [listPages, listLayouts],
  parameters: [layoutParameter],
  async run(item) {
    const wanted = item.optional('layout');
    const { body } = await item.client.call(listPages);
    const pages = pagesIn(body);
    return outputs(pages && wanted ? await withLayout(item, pages, wanted) : (pages ?? body));
  },
};

const getChildren: Operation = {
  name: 'getChildren',
  displayName: 'Get Children',
  action: 'Get the child pages of a page',
  description: 'Get the child pages of a page, all or some of them',
  endpoints: [children, selectedChildren],
  parameters: [
    pageLocator,
    {
      displayName: 'Child Page Names or IDs',
      name: 'childIds',
      type: 'multiOptions',
      default: [],
      typeOptions: { loadOptionsMethod: 'getChildPages', loadOptionsDependsOn: ['pageId.value'] },
      description:
        'Return these child pages only; leave empty for all. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    },
  ],
  async run(item) {
    const pageId = item.id('pageId');
    const childIds = item.names('childIds');
    const { body } =
      childIds.length === 0
        ? await item.client.call(children, { path: { pageId } })
        : await item.client.call(selectedChildren, { path: { pageId, childIds: childIds.join(',') } });
    return outputs(pagesIn(body) ?? body);
  },
};

export const page: Resource = {
  name: 'page',
  displayName: 'Page',
  operations: [
    callOperation({
      name: 'get',
      displayName: 'Get',
      action: 'Get a page',
      description: 'Get one page',
      endpoint: v11('GET /pages/{pageId}'),
      parameters: [pageLocator],
      read: (body) => itemIn(body, 'page'),
    }),
    getAll,
    getChildren,
  ],
};

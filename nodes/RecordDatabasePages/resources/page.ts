import { createLocator } from '../../n8n/lists/listPicker';
import { hideUntilPicked } from '../../n8n/lists/tablePickers';
import {
  type Operation,
  type Resource,
  createGetOperation,
  createListOperation,
  toOutputs,
} from '../../n8n/operation/operation';
import { defineParameter } from '../../n8n/parameters/parameter';
import { pageEndpoints } from '../../service';

export const pageLocator = createLocator('Pages', 'Page', 'pageId', 'The page to work with');

const { listChildren, listSelectedChildren } = pageEndpoints;

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
  parameters: [pageLocator, ...hideUntilPicked('pageId', [childPages])],
  async run(item) {
    const pageId = item.read(pageLocator);
    const childIds = item.read(childPages);
    const endpoint = childIds.length === 0 ? listChildren : listSelectedChildren;
    const { body } = await item.client.call(endpoint, { path: { pageId, childIds } });
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
    createListOperation({
      action: 'Get many pages',
      description: 'Get the pages of the application',
      endpoint: pageEndpoints.list,
    }),
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

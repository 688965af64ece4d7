/** The resources Page and Layout. */
import { createLocator } from '../../n8n/lists/listPicker';
import { hideUntilPicked } from '../../n8n/lists/tablePickers';
import { type Resource, createGetOperation, createListOperation } from '../../n8n/operation/operation';
import { defineLoadedList, createLoadOptions } from '../../n8n/parameters/parameter';
import { pageEndpoints } from '../../service';

export const pageLocator = createLocator('Pages', 'Page', 'pageId', 'The page to work with');

const { listChildren, listSelectedChildren } = pageEndpoints;

const childPagesParameter = defineLoadedList({
  displayName: 'Child Page Names or IDs',
  name: 'childIds',
  typeOptions: createLoadOptions('getChildPages', ['pageId.value']),
  hint: 'Empty: all child pages',
  description: 'Only these child pages.',
});

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
    createListOperation({
      name: 'getChildren',
      displayName: 'Get Children',
      action: 'Get child pages of page',
      description: 'Get all or some child pages of a page',
      endpoint: (item) => (item.read(childPagesParameter).length === 0 ? listChildren : listSelectedChildren),
      parameters: [pageLocator, ...hideUntilPicked('pageId', [childPagesParameter])],
    }),
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

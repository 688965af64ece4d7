import { componentEndpoints, pageEndpoints } from '../../client/endpoints/catalogue';
import { type Resource, createCallOperation, createListOperation } from '../../n8n/operation/operation';
import { createGetRecordsOperation } from './getComponentRecords';
import { pageLocator } from './page';
import { childPageLocator, componentLocator, readComponentPath, readPageId } from './readComponentTable';
import { createSaveOperation } from './saveComponentRecord';

const componentLocators = [pageLocator, childPageLocator, componentLocator];

/** Spec: Layouts, pages and components. */
export const component: Resource = {
  name: 'component',
  displayName: 'Component',
  operations: [
    createListOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many components',
      description: 'Get the components of a page that the key or user may see',
      endpoint: pageEndpoints.listComponents,
      parameters: [pageLocator, childPageLocator],
      request: (item) => ({ path: { pageId: readPageId(item) } }),
    }),
    createCallOperation({
      name: 'getDetails',
      displayName: 'Get Details',
      action: 'Get details of component',
      description: 'Get the details of a component, such as its settings',
      endpoint: componentEndpoints.getDetails,
      parameters: componentLocators,
      request: (item) => ({ path: readComponentPath(item) }),
    }),
    createGetRecordsOperation(componentLocators),
    createSaveOperation(componentLocators),
  ],
};

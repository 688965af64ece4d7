import { listComponents } from '../../shared/kit/componentTable';
import { locator } from '../../shared/kit/listPicker';
import { callOperation, type Resource } from '../../shared/kit/operation';
import { v11 } from '../../shared/model/endpoint';
import { itemIn } from '../../shared/model/envelope';
import { getRecords } from './componentRecords';
import { save } from './componentSave';
import { pageLocator } from './page';

const which = [
  pageLocator,
  locator('Components', 'Component', 'componentId', 'The component of the page to work with'),
];

/** Spec: Layouts, pages and components. */
export const component: Resource = {
  name: 'component',
  displayName: 'Component',
  operations: [
    callOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many components',
      description: 'Get the components of a page that the key or user may see',
      endpoint: listComponents,
      items: 'components',
      parameters: [pageLocator],
    }),
    callOperation({
      name: 'getDetails',
      displayName: 'Get Details',
      action: 'Get the details of a component',
      description: 'Get the details of a component, such as its settings',
      endpoint: v11('GET /pages/{pageId}/components/{componentId}/details'),
      parameters: which,
      // The spec does not show the answer: what may stand beside the component is kept.
      read: itemIn,
    }),
    getRecords(which),
    save(which),
  ],
};

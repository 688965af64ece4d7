import { createListOperation, type Resource } from '../../shared/kit/operation/operation';
import { pageEndpoints } from '../../shared/model/endpoints/pages';

/** Spec: Layouts, pages and components. */
export const layout: Resource = {
  name: 'layout',
  displayName: 'Layout',
  operations: [
    createListOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many layouts',
      description: 'Get the layouts that pages can have',
      endpoint: pageEndpoints.listLayouts,
    }),
  ],
};

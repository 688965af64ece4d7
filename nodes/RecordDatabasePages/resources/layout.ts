import { pageEndpoints } from '../../client/endpoints/catalogue';
import { type Resource, createListOperation } from '../../n8n/operation/operation';

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

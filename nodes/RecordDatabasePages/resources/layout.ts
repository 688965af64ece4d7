import { callOperation, type Resource } from '../../shared/kit/operation';
import { v11 } from '../../shared/model/endpoint';

export const listLayouts = v11('GET /layouts');

/** Spec: Layouts, pages and components. */
export const layout: Resource = {
  name: 'layout',
  displayName: 'Layout',
  operations: [
    callOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many layouts',
      description: 'Get the layouts that pages can have',
      endpoint: listLayouts,
      items: 'items',
    }),
  ],
};

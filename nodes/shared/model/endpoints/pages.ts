import {
  createItemSchema,
  createListSchema,
  createUndefinedListSchema,
  objectSchema,
} from '../responses/schemas';
import { permissions } from './apiKey';
import { defineV11 } from './endpoint';

/** The key of the list of pages is `pages` or `items`. */
const pageList = createListSchema('pages', 'items');
const recordList = createListSchema('records', 'items');

/** Spec: Layouts, pages and components. */
export const pageEndpoints = {
  listLayouts: defineV11('GET /layouts', {
    response: createUndefinedListSchema('items'),
    permission: permissions.pages,
  }),
  list: defineV11('GET /pages', { response: pageList, permission: permissions.pages }),
  get: defineV11('GET /pages/{pageId}', {
    response: createItemSchema('page'),
    permission: permissions.pages,
  }),
  listChildren: defineV11('GET /pages/{pageId}/childs', {
    response: createUndefinedListSchema('pages', 'items'),
    permission: permissions.pages,
  }),
  listSelectedChildren: defineV11('GET /pages/{pageId}/childs/{childIds}', {
    response: createUndefinedListSchema('pages', 'items'),
    permission: permissions.pages,
  }),
  listComponents: defineV11('GET /pages/{pageId}/components', {
    response: createListSchema('components'),
    permission: permissions.pages,
  }),
};

const saveRecord = defineV11('POST /pages/{pageId}/components/{componentId}/save', {
  response: objectSchema,
  evidence: ['id'],
  permission: permissions.pages,
});

/** Spec: Layouts, pages and components. */
export const componentEndpoints = {
  listRecords: defineV11('GET /pages/{pageId}/components/{componentId}/records', {
    response: recordList,
    permission: permissions.pages,
  }),
  listFilteredRecords: defineV11('POST /pages/{pageId}/components/{componentId}/records', {
    effect: 'read',
    response: recordList,
    permission: permissions.pages,
  }),
  getDetails: defineV11('GET /pages/{pageId}/components/{componentId}/details', {
    response: createItemSchema(),
    permission: permissions.pages,
  }),
  createRecord: saveRecord,
  /** Saving with the `id` of a record in the body updates that record. */
  updateRecord: { ...saveRecord, effect: 'idempotent' as const },
};

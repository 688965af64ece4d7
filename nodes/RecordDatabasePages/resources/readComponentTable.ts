import type { Table } from '../../client/fields/table';
import { findComponentTable } from '../../n8n/lists/componentTable';
import { createLocator } from '../../n8n/lists/listPicker';
import type { Item } from '../../n8n/operation/item';
import { pageLocator } from './page';

export const componentLocator = createLocator(
  'Components',
  'Component',
  'componentId',
  'The component of the page to work with',
);

export const childPageLocator = {
  ...createLocator(
    'ChildPages',
    'Child Page',
    'childPageId',
    'The child page that holds the component. Leave empty for a component of the page itself.',
  ),
  required: false,
} as const;

/** Returns the ID of the child page if one is given, otherwise the ID of the page. */
export const readPageId = (item: Item): string => item.read(childPageLocator) || item.read(pageLocator);

export const readComponentPath = (item: Item) => ({
  pageId: readPageId(item),
  componentId: item.read(componentLocator),
});

/** Returns the table that the component shows, or undefined if the service does not return it. */
export async function readComponentTable(item: Item, { isFresh = false } = {}): Promise<Table | undefined> {
  const { pageId, componentId } = readComponentPath(item);
  const id = await findComponentTable(item.client, pageId, componentId);
  if (!id) return undefined;
  return isFresh ? item.getFreshTable(id) : item.getTable(id);
}

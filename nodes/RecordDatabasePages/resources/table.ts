import { componentTable } from '../../shared/kit/componentTable';
import type { Item } from '../../shared/kit/item';
import type { Table } from '../../shared/model/table';

export const pathOf = (item: Item) => ({ pageId: item.id('pageId'), componentId: item.id('componentId') });

/** The table behind the item's component, where the service says which one it is. */
export async function tableOf(item: Item): Promise<Table | undefined> {
  const { pageId, componentId } = pathOf(item);
  const id = await componentTable(item.client, pageId, componentId);
  return id ? item.table(id) : undefined;
}

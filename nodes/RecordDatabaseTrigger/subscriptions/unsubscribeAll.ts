import type { StaticData } from '../staticData';
import { fetchSubscriptions, filterOwnSubscriptions, type ReconcileContext } from './ownSubscriptions';

/**
 * Removes every subscription of this trigger: the stored ones and the listed ones that belong to it.
 * @throws ApiError if a subscription may remain; n8n then calls again
 */
export async function unsubscribeAll(life: ReconcileContext): Promise<Partial<StaticData>> {
  const failures: unknown[] = [];
  const listed = await fetchSubscriptions(life).catch((error: unknown) => {
    failures.push(error);
    return [];
  });
  // A stored ID that is listed is checked by its URL, because the service may have reused the ID.
  const hidden = life.staticData.ids.filter((id) => !listed.some((one) => one.id === id));
  for (const id of [...hidden, ...filterOwnSubscriptions(life, listed).map((one) => one.id)]) {
    await life.api.unsubscribe(id).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
  return { ids: [], tables: [], addresses: [], fields: '', secret: '', dropsToken: false };
}

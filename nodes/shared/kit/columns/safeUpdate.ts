import type { ApiResponse } from '../../transport/call';
import { detectSemantics } from './detectSemantics';
import { SemanticsStore } from './unsentColumns';
import { planWholeUpdate, type RecordUpdate, sendWhole } from './wholeUpdate';

/**
 * Sends an update so that columns that it does not name keep their values. It sends only the changed values if the
 * service is known to keep other columns, and the whole record otherwise.
 * @throws InputError if a value can neither be sent nor left out; nothing has been sent then
 */
export async function sendSafeUpdate(update: RecordUpdate): Promise<ApiResponse> {
  const store = new SemanticsStore(update.item, update.endpoint, update.entries);
  if (store.known === 'keeps') return update.send(update.entries);
  const plan = await planWholeUpdate(update);
  const { probe } = plan;
  if (!probe || !store.canDetect) return sendWhole(update, plan);
  if (store.running) {
    await store.running;
    return sendSafeUpdate(update);
  }
  return store.detect(() => detectSemantics(update, { ...plan, probe }, store));
}

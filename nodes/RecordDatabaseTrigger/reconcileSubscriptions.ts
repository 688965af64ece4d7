import { uniq } from 'lodash';
import { ApiError } from '../client/errors/apiError';
import type { Subscription } from '../client/responses/subscriptions';
import { readUrlToken } from './identity';
import type { StaticData } from './staticData';
import {
  type DesiredSubscription,
  type ReconcileContext,
  type SubscriptionDiff,
  createSubscriptionMatcher,
  diffSubscriptions,
  fetchSubscriptions,
  filterOwnSubscriptions,
  isDropAccepted,
  isEmptyDiff,
} from './subscriptions';

/** Maximum passes of listing and changing. If more are needed, another client changes the same subscriptions. */
const MAX_PASSES = 4;

/** Whether the service lists all wanted subscriptions and no other ones of this trigger. Changes nothing. */
export async function isSubscribed(life: ReconcileContext, wanted: DesiredSubscription[]): Promise<boolean> {
  const own = filterOwnSubscriptions(life, await fetchSubscriptions(life));
  return isEmptyDiff(diffSubscriptions(wanted, own, createSubscriptionMatcher(life, isDropAccepted(life))));
}

/** The subscriptions that one call of `subscribeAll` has created and removed so far. */
interface ReconcileProgress {
  created: Subscription[];
  removed: Set<string>;
  dropsToken: boolean;
}

/** Creates subscriptions before it removes others, so that no event is lost. After a lost response, the next list
 * shows whether the subscription was created. */
async function applyDiff(
  { api: service }: ReconcileContext,
  { create, remove }: SubscriptionDiff,
  made: ReconcileProgress,
): Promise<void> {
  for (const wanted of create) {
    const id = await service.subscribe(wanted).catch((error: unknown) => ignoreUnknownOutcome(error));
    if (id === undefined) continue;
    const { tableId, event, hookUrl } = wanted;
    made.created.push({ id, data_table_id: tableId, type: event, hookUrl, platform: '' });
  }
  for (const { id } of remove) {
    await service.unsubscribe(id);
    made.removed.add(id);
  }
}

function ignoreUnknownOutcome(error: unknown): undefined {
  if (error instanceof ApiError && error.isOutcomeUnknown) return undefined;
  throw error;
}

const createNotConvergedError = () =>
  new ApiError({
    message: "The service's list of webhooks does not reach the requested state",
    description:
      'Something else adds or removes subscriptions of this trigger at the same time. Look for another workflow with a copy of this trigger, then publish again.',
  });

const createTokenDroppedError = () =>
  new ApiError({
    message: 'The service removes the token from the webhook URL',
    description:
      'The service lists the URL without its query string, so n8n cannot verify that a delivery comes from the service. No subscription was kept. To accept deliveries without a token, turn on "Accept Unverified Deliveries", preferably together with "Verify by Reading the Record".',
  });

/** Lists and changes subscriptions until the list is in the wanted state. Responses to the changes are not trusted. */
async function reconcile(
  life: ReconcileContext,
  wanted: DesiredSubscription[],
  first: Subscription[],
  made: ReconcileProgress,
): Promise<Subscription[]> {
  let listed = first;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    // The list may be out of date: it may lack a created subscription or still contain a removed one.
    const hidden = made.created.filter(({ id }) => !listed.some((one) => one.id === id));
    const own = filterOwnSubscriptions(life, [...listed, ...hidden]).filter(
      ({ id }) => !made.removed.has(id),
    );
    const plan = diffSubscriptions(wanted, own, createSubscriptionMatcher(life, made.dropsToken));
    if (isEmptyDiff(plan)) return plan.keep;
    await applyDiff(life, plan, made);
    listed = await fetchSubscriptions(life);
    made.dropsToken ||= made.created.some(({ id }) =>
      listed.some((one) => one.id === id && readUrlToken(one.hookUrl) === undefined),
    );
    if (made.dropsToken && !life.acceptUnverified) throw createTokenDroppedError();
  }
  throw createNotConvergedError();
}

/** Tries to remove all subscriptions that a failed call has created. Never throws. */
async function rollBack(
  life: ReconcileContext,
  before: Subscription[],
  made: ReconcileProgress,
): Promise<void> {
  const listed = await fetchSubscriptions(life).catch(() => made.created);
  const ids = uniq([...filterOwnSubscriptions(life, listed), ...made.created].map(({ id }) => id));
  for (const id of ids.filter((one) => !before.some((old) => old.id === one))) {
    await life.api.unsubscribe(id).catch(() => undefined);
  }
}

/**
 * Changes the subscriptions of this trigger to the wanted ones: keeps matching ones, creates missing ones and removes
 * all others. After a failure, the created subscriptions are removed again.
 * @returns the static data to store
 */
export async function subscribeAll(
  life: ReconcileContext,
  wanted: DesiredSubscription[],
): Promise<Partial<StaticData>> {
  const before = await fetchSubscriptions(life);
  const made: ReconcileProgress = { created: [], removed: new Set(), dropsToken: isDropAccepted(life) };
  const kept = await reconcile(life, wanted, before, made).catch(async (error: unknown) => {
    await rollBack(life, before, made);
    throw error;
  });
  return {
    ids: kept.map(({ id }) => id),
    tables: uniq(wanted.map(({ tableId }) => tableId)),
    addresses: [life.webhookUrl],
    // Taken from the current list, because a service that removed tokens earlier may keep them now.
    dropsToken: kept.some(({ hookUrl }) => readUrlToken(hookUrl) === undefined),
  };
}

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

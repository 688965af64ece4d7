import type { Subscription } from '../shared/model/responses';
import { ApiFailure } from '../shared/transport/errors';
import { leadsTo, tokenIn, type Hook } from './hook';
import type { State } from './state';
import { isDone, planFor, type Fits, type Plan, type Wanted } from './subscriptions';

/** The service's side of subscriptions. Every call throws an ApiFailure when it fails for good. */
export interface SubscriptionService {
  /** Everything listed for these tables, and whatever else the service shows. */
  list(tableIds: string[]): Promise<Subscription[]>;
  /** The new id, where the service tells it. */
  subscribe(wanted: Wanted): Promise<string | undefined>;
  /** One that is gone already counts as removed. */
  unsubscribe(id: string): Promise<void>;
}

export interface Lifecycle {
  service: SubscriptionService;
  hook: Hook;
  webhookUrl: string;
  state: State;
  /** Tables that the trigger is set to. */
  tables: string[];
}

/** Looking, acting and looking again; more than this means that somebody works against us. */
const PASSES = 4;

const unique = (values: string[]): string[] => [...new Set(values)];

const look = ({ service, state, tables }: Lifecycle) => service.list(unique([...tables, ...state.tables]));

const ownIn = ({ hook, webhookUrl, state }: Lifecycle, listed: Subscription[]): Subscription[] =>
  listed.filter((one) => hook.owns(one, webhookUrl, state.addresses));

/** The right address with the right token, or without any where the service is known to drop it. */
const fitting =
  ({ hook, webhookUrl }: Lifecycle, dropsToken: boolean): Fits =>
  ({ hookUrl }, { tableId, event }) => {
    const token = tokenIn(hookUrl);
    const isRight = token === undefined ? dropsToken : hook.isToken(token, tableId, event);
    return isRight && leadsTo(hookUrl, webhookUrl);
  };

/** Whether the service's list is just what is wanted. Changes nothing. */
export async function isSubscribed(life: Lifecycle, wanted: Wanted[]): Promise<boolean> {
  const own = ownIn(life, await look(life));
  return isDone(planFor(wanted, own, fitting(life, life.state.dropsToken)));
}

/** What one run of `subscribeAll` has made and removed so far. */
interface Made {
  subscriptions: Subscription[];
  removed: Set<string>;
  dropsToken: boolean;
}

/** New ones first, so that no event falls between; an answer that was lost shows in the next list. */
async function carryOut({ service }: Lifecycle, { create, remove }: Plan, made: Made): Promise<void> {
  for (const wanted of create) {
    const id = await service.subscribe(wanted).catch((error: unknown) => unlessUnknown(error));
    if (id === undefined) continue;
    const { tableId, event, hookUrl } = wanted;
    made.subscriptions.push({ id, data_table_id: tableId, type: event, hookUrl, platform: '' });
  }
  for (const { id } of remove) {
    await service.unsubscribe(id);
    made.removed.add(id);
  }
}

function unlessUnknown(error: unknown): undefined {
  if (error instanceof ApiFailure && error.outcomeUnknown) return undefined;
  throw error;
}

const unsettled = () =>
  new ApiFailure({
    message: "The service's list of webhooks does not become what was asked for",
    description:
      'Subscriptions of this trigger appear or disappear while it sets them up. Look for another workflow with a copy of this trigger, then publish again.',
  });

/** Looks and acts until the list is right; the list is believed, not the answers. */
async function settle(
  life: Lifecycle,
  wanted: Wanted[],
  first: Subscription[],
  made: Made,
): Promise<Subscription[]> {
  let listed = first;
  for (let pass = 0; pass < PASSES; pass++) {
    // A list may lag behind: what was just made is there, even if it is not shown yet, and what was removed is not.
    const hidden = made.subscriptions.filter(({ id }) => !listed.some((one) => one.id === id));
    const own = ownIn(life, [...listed, ...hidden]).filter(({ id }) => !made.removed.has(id));
    const plan = planFor(wanted, own, fitting(life, made.dropsToken));
    if (isDone(plan)) return plan.keep;
    await carryOut(life, plan, made);
    listed = await look(life);
    made.dropsToken ||= made.subscriptions.some(({ id }) =>
      listed.some((one) => one.id === id && tokenIn(one.hookUrl) === undefined),
    );
  }
  throw unsettled();
}

/** Takes back what a failed run has made, as far as the service lets it. Never throws. */
async function rollBack(life: Lifecycle, before: Subscription[], made: Made): Promise<void> {
  const listed = await look(life).catch(() => made.subscriptions);
  const ids = unique([...ownIn(life, listed), ...made.subscriptions].map(({ id }) => id));
  for (const id of ids.filter((one) => !before.some((old) => old.id === one))) {
    await life.service.unsubscribe(id).catch(() => undefined);
  }
}

/**
 * Makes the service's list what is wanted: adopts what fits, creates what is missing, removes what is left
 * over from before. On failure all it created is removed again.
 * @returns what to remember
 */
export async function subscribeAll(life: Lifecycle, wanted: Wanted[]): Promise<Partial<State>> {
  const before = await look(life);
  const made: Made = { subscriptions: [], removed: new Set(), dropsToken: life.state.dropsToken };
  const kept = await settle(life, wanted, before, made).catch(async (error: unknown) => {
    await rollBack(life, before, made);
    throw error;
  });
  return {
    ids: kept.map(({ id }) => id),
    tables: unique(wanted.map(({ tableId }) => tableId)),
    addresses: [life.webhookUrl],
    // What the list shows now decides: a service that dropped the token once may have been mended.
    dropsToken: kept.some(({ hookUrl }) => tokenIn(hookUrl) === undefined),
  };
}

/**
 * Removes every subscription of this trigger: those it remembers, and those in the list that are its own.
 * @throws ApiFailure when one may be left; n8n then calls again
 */
export async function unsubscribeAll(life: Lifecycle): Promise<Partial<State>> {
  const failures: unknown[] = [];
  const listed = await look(life).catch((error: unknown) => {
    failures.push(error);
    return [];
  });
  // An id that the list shows is judged by its address there: it may have been given to somebody else.
  const hidden = life.state.ids.filter((id) => !listed.some((one) => one.id === id));
  for (const id of [...hidden, ...ownIn(life, listed).map((one) => one.id)]) {
    await life.service.unsubscribe(id).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
  return { ids: [], tables: [], addresses: [], fields: {}, dropsToken: false };
}

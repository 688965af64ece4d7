import type { Page, PagePlan } from './pagePlan';
import { Reading } from './reading';

/** The service's maximum (spec: Limits). */
export const MAX_PAGE = 200;

/** The data changed faster than strict reading could follow. */
export class Unsteady extends Error {
  constructor() {
    super('The records kept changing while they were read');
    this.name = 'Unsteady';
  }
}

/** Strict readings that are tried before the data counts as unsteady. */
const STRICT_ATTEMPTS = 3;

/** A list with proof that nothing was skipped, or the last try without it. */
async function strictly<T>(plan: PagePlan<T>, first: Page<T>, size: number) {
  let reading = await new Reading(plan, true).run(first, size);
  let complete = await reading.isComplete();
  for (let attempt = 2; !complete && attempt <= STRICT_ATTEMPTS; attempt++) {
    reading = await new Reading(plan, true).run(await plan.fetch(1, size), size);
    complete = await reading.isComplete();
  }
  return { reading, complete };
}

/**
 * Reads page 1, then the rest side by side: in order and without repeats. Where the data is seen to change
 * meanwhile, it is read again with proof that nothing was skipped, and `onDrift` is told.
 * @throws Unsteady in strict mode, when no such proof was to be had
 */
export async function readPages<T>(plan: PagePlan<T>): Promise<T[]> {
  const { limit, strict, onDrift } = plan;
  if (limit <= 0) return [];
  const cut = (items: T[]) => (items.length > limit ? items.slice(0, limit) : items);
  const asked = Math.min(MAX_PAGE, limit);
  const first = await plan.fetch(1, asked);
  // A service that gives less than asked for counts its pages by what it gives.
  const isCapped = first.items.length > 0 && first.items.length < Math.min(asked, first.total ?? 0);
  const size = isCapped ? first.items.length : asked;

  const plain = strict ? undefined : await new Reading(plan, false).run(first, size);
  if (plain && !plain.hasMoved) return cut(plain.items);
  const again = plain ? await plan.fetch(1, size) : first;
  const { reading, complete } = await strictly(plan, again, size);
  if (strict && !complete) throw new Unsteady();
  if (plain || reading.hasMoved) onDrift?.(complete);
  return cut(reading.items);
}

/** Deliveries that one trigger remembers within this process; some 2 MB when full. */
const REMEMBERED = 20_000;

/** Of these, so many also live in the static data, which is written with every delivery. */
export const KEPT = 500;

/** The latest deliveries, oldest forgotten first. */
export class Memory {
  private readonly known = new Set<string>();
  private readonly latest: string[] = [];

  constructor(private readonly capacity = REMEMBERED) {}

  /** Takes note of a delivery that is being worked on. False when it was known already. */
  add(hash: string): boolean {
    if (this.known.has(hash)) return false;
    this.known.add(hash);
    if (this.known.size > this.capacity) this.known.delete(this.known.values().next().value as string);
    return true;
  }

  /** For a delivery that was worked on to its end: from now on it is among the latest. */
  keep(hash: string): void {
    this.latest.push(hash);
    if (this.latest.length > KEPT) this.latest.shift();
  }

  /** For a delivery that could not be worked on: its repetition is welcome. */
  forget(hash: string): void {
    this.known.delete(hash);
  }

  /** The latest ones, for the static data. */
  recent(): string[] {
    return [...this.latest];
  }
}

/** Hooks of which this process remembers deliveries; the one that was quiet the longest is forgotten first. */
export const HOOKS = 50;

const memories = new Map<string, Memory>();

/**
 * The memory of a hook, joined with what its static data holds. Each delivery works on its own copy of the
 * static data, and copies that are saved at the same time overwrite each other: what this process has seen
 * is therefore the truth, and every save writes all of the latest again.
 */
export function memoryOf(hook: string, seen: string[]): Memory {
  const memory = memories.get(hook) ?? new Memory();
  memories.delete(hook);
  memories.set(hook, memory);
  if (memories.size > HOOKS) memories.delete(memories.keys().next().value as string);
  for (const hash of seen) if (memory.add(hash)) memory.keep(hash);
  return memory;
}

import type { ServiceOptions } from '../options';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE64 = `${BASE62}+/`;
/** The characters of all IDs that clients recorded. */
const MET_ALPHABET = '0123456789ABDEGJKLMNOPQRVWXYZabdegjklmnopqrvwxyz';

/** A seeded generator (mulberry32): equal seeds give equal sample data, ids and faults. */
export class Random {
  /** A generator with the same state goes on with the same numbers. */
  constructor(public state: number) {}

  /** 0 <= x < 1 */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer; both ends are included. */
  nextInt(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.nextInt(0, items.length - 1)] as T;
  }

  nextBoolean(probability: number): boolean {
    return this.next() < probability;
  }

  nextSecret(length: number): string {
    return Array.from({ length }, () => BASE62[this.nextInt(0, 61)]).join('');
  }
}

/**
 * Opaque ids, like the encoded ids of the service: a counter under a bijection, so they never repeat and
 * do not sort by age.
 */
export class IdGenerator {
  /** Number of ids so far. A generator with the same seed and count goes on with the same ids. */
  count = 0;

  constructor(private readonly options: Pick<ServiceOptions, 'seed' | 'ids'>) {}

  next(): string {
    return this.encode(this.count++);
  }

  /** The ID of a record (`ServiceOptions.ids`). @param rowNumber counts the records of its table from 1 */
  nextOfRow(rowNumber: number): string {
    return this.options.ids === 'met' ? this.encode(rowNumber) : this.next();
  }

  private encode(n: number): string {
    const mixed = (Math.imul(n, 0x9e3779b1) + Math.imul(this.options.seed, 0x85ebca6b)) >>> 0;
    const tail = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
    const alphabet = this.options.ids === 'other' ? BASE64 : MET_ALPHABET;
    return encodeNumber(mixed, 6, alphabet) + encodeNumber(tail % alphabet.length ** 4, 4, alphabet);
  }
}

function encodeNumber(value: number, width: number, alphabet: string): string {
  const base = alphabet.length;
  let text = '';
  for (let rest = value; text.length < width; rest = Math.floor(rest / base))
    text = alphabet[rest % base] + text;
  return text;
}

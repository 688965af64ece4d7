/** Lets at most `size` runs happen at once; the others wait in their order. */
export class Slots {
  private readonly waiting: Array<() => void> = [];
  private taken = 0;

  constructor(readonly size: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.taken < this.size) this.taken++;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The place is handed on, so that nobody can slip in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.taken--;
    }
  }
}

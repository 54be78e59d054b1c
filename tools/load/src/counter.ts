export class Counter {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  addAll(counts: Readonly<Record<string, number>>): void {
    for (const [name, count] of Object.entries(counts)) this.add(name, count);
  }

  get counts(): Record<string, number> {
    return Object.fromEntries([...this.#counts].toSorted(([a], [b]) => a.localeCompare(b)));
  }
}

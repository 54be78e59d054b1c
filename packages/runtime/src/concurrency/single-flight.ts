/** Shares one execution of an asynchronous function among all callers that ask for the same key while it runs. Results are not kept. */
export class SingleFlight<K, T> {
  readonly #flights = new Map<K, Promise<T>>();

  get size(): number {
    return this.#flights.size;
  }

  /** A rejection reaches all callers; the next call executes again. */
  run(key: K, work: () => Promise<T>): Promise<T> {
    let flight = this.#flights.get(key);
    if (flight === undefined) {
      flight = work().finally(() => this.#flights.delete(key));
      this.#flights.set(key, flight);
    }
    return flight;
  }
}

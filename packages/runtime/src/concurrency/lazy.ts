/** A value that is opened on first use and kept. If opening it fails, the next use opens it again. */
export class Lazy<T> {
  readonly #open: () => Promise<T>;
  #opened: Promise<T> | null = null;

  constructor(open: () => Promise<T>) {
    this.#open = open;
  }

  get(): Promise<T> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  /** Returns the value if it is open or being opened, to close it. */
  async ifOpen(): Promise<T | null> {
    return (await this.#opened?.catch(() => null)) ?? null;
  }
}

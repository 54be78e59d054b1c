/** Response headers as name, value, ..., names in lower case. Node writes such a list as it is; headers set one by one go through a dictionary. */
export class HeaderList {
  readonly #list: string[];

  constructor(list: string[]) {
    this.#list = list;
  }

  set(name: string, value: string): void {
    const at = this.#list.indexOf(name);
    if (at === -1 || at % 2 === 1) this.#list.push(name, value);
    else this.#list[at + 1] = value;
  }

  /** Keeps headers of the same name. */
  add(name: string, value: string): void {
    this.#list.push(name, value);
  }

  with(more: readonly string[]): string[] {
    return [...this.#list, ...more];
  }
}

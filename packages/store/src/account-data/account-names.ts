const ids = /[rw]-[0-9a-z]{10}/g;

export class AccountNames {
  readonly account: string;
  readonly #owned: ReadonlySet<string>;

  constructor(account: string, owned: Iterable<string>) {
    this.account = account;
    this.#owned = new Set(owned);
  }

  has(id: string): boolean {
    return id === this.account || this.#owned.has(id);
  }

  in(text: string): boolean {
    return text.includes(this.account) || (text.match(ids)?.some((id) => this.#owned.has(id)) ?? false);
  }
}

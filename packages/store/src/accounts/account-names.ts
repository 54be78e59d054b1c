/** The ids by which Redis names an account: its own and those of its robots and webhooks. */

/** As `newId` makes them. */
const ids = /[rw]-[0-9a-z]{10}/g;

export class AccountNames {
  readonly account: string;
  readonly #owned: ReadonlySet<string>;

  /** @param owned ids of the account's robots and webhooks */
  constructor(account: string, owned: Iterable<string>) {
    this.account = account;
    this.#owned = new Set(owned);
  }

  has(id: string): boolean {
    return id === this.account || this.#owned.has(id);
  }

  /** Whether one of the ids is in a text. */
  in(text: string): boolean {
    return text.includes(this.account) || (text.match(ids)?.some((id) => this.#owned.has(id)) ?? false);
  }
}

/** Parameters of an OAuth request. RFC 6749, 3.1: each at most once, an empty one counts as omitted, and unknown ones are ignored. */
import { OAuthError } from './oauth-error.js';

export class Parameters {
  readonly #given: URLSearchParams;

  constructor(text: string) {
    this.#given = new URLSearchParams(text);
  }

  /** @throws {OAuthError} invalid_request, if it is there more than once */
  find(name: string): string | undefined {
    const [value, second] = this.#given.getAll(name);
    if (second !== undefined) throw new OAuthError('invalid_request', `${name} was sent more than once.`);
    return value === '' ? undefined : value;
  }

  /** @throws {OAuthError} invalid_request, also if it is missing */
  get(name: string): string {
    const value = this.find(name);
    if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`);
    return value;
  }
}

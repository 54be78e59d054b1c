/** What a person filled in: each problem names its field and says what to do, in words for a person. */
import { ApiError, isEmailAddress } from '@perch/schema';
import { passwordChars } from '@perch/store';

export class Form {
  readonly #fields: Readonly<Record<string, unknown>>;

  /** @param body as it came @param known the fields there may be @throws {ApiError} bad_argument for another, and for what is no object */
  constructor(body: unknown, known: readonly string[]) {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new ApiError('bad_argument', 'Send the fields as a JSON object.');
    this.#fields = body as Record<string, unknown>;
    for (const name of Object.keys(body)) if (!known.includes(name)) throw wrong(shown(name), 'There is no such field.');
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  /** @returns the text as it is @throws {ApiError} bad_argument, with `missing` where it is not there or empty */
  text(name: string, missing: string): string {
    const value = this.#fields[name];
    if (value === undefined || value === '') throw wrong(name, missing);
    if (typeof value !== 'string') throw wrong(name, 'This must be a text.');
    return value;
  }

  /** @throws {ApiError} bad_argument */
  email(name: string): string {
    const address = this.text(name, 'Enter your e-mail address.').trim();
    if (!isEmailAddress(address)) throw wrong(name, 'This is not an e-mail address. It looks like ada@example.org.');
    return address;
  }

  /** A new password as typed, checked for its length only; see `isCommonPassword`. @throws {ApiError} bad_argument */
  newPassword(name: string): string {
    const password = this.text(name, 'Choose a password.');
    const length = [...password].length;
    if (length < passwordChars.min) throw wrong(name, `Use at least ${passwordChars.min} characters. A few words in a row will do.`);
    if (length > passwordChars.max) throw wrong(name, `Use at most ${passwordChars.max} characters.`);
    return password;
  }

  /** A password that may be right. @throws {ApiError} bad_argument */
  password(name: string, missing: string): string {
    const password = this.text(name, missing);
    // What could never have been chosen is not worth hashing.
    if ([...password].length > passwordChars.max) throw wrong(name, `A password has at most ${passwordChars.max} characters.`);
    return password;
  }
}

/** A name that somebody made up, as arguments of the interface are told. */
function shown(name: string): string {
  if (name === '') return '""';
  return name.length > shownCharsMax ? `${name.slice(0, shownCharsMax)}...` : name;
}

const shownCharsMax = 40;

/** @param sentence what is wrong with the field and what to do */
export function wrong(field: string, sentence: string): ApiError {
  return new ApiError('bad_argument', sentence, { field });
}

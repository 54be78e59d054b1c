import type { AuditKind, AuditNote } from './audit.js';
import type { Exchange } from '../http/exchange.js';
import type { Route } from '../http/router.js';
import type { Session } from './auth/session-auth.js';
import { ApiError, isEmailAddress, isObject, ConsoleError } from '@perch/schema';
import { passwordChars, StoreError } from '@perch/store';

export interface ConsoleRequest {
  exchange: Exchange;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Empty at first; the handler may add to it. */
  auditNote: AuditNote;
  /** Reads the JSON body, up to 16 KB. @throws {ApiError} as `JsonBodies.read` */
  body: () => Promise<unknown>;
}

export interface SessionRequest extends ConsoleRequest {
  session: Session;
}

interface Audited {
  /** Kind of the audit line that is logged for each request, including those that the handler refuses; see `audit.ts`. */
  audit?: AuditKind;
}

export interface OpenRoute extends Route<ConsoleRequest>, Audited {
  for: 'anyone';
  /** Open routes have their own limits: `sign-in-rate-limiter.ts`. */
  cost: 0;
  /** Whether other sites may navigate a browser to this route, as OpenID Connect providers do. */
  fromElsewhere?: boolean;
}

/** Admission does not check the robot in the path: the handler must check that the account owns it. */
export interface SessionRoute extends Route<SessionRequest>, Audited {
  for: 'session';
  /**
   * Of a route that makes what outlives the session: removes what `handle` made and answered, because the session ended meanwhile. The account may then
   * be somebody else's, who has ended all that there was.
   */
  undo?: (request: SessionRequest, answer: unknown) => Promise<void>;
}

export type ConsoleRoute = OpenRoute | SessionRoute;

/** Reads the fields of a form on the web page. Each method throws bad_argument, which names the field and tells the user what to do. */
export class Form {
  readonly #fields: Readonly<Record<string, unknown>>;

  /** @param body unchecked @param known names of the allowed fields @throws {ApiError} bad_argument for an unknown field or a body that is not an object */
  constructor(body: unknown, known: readonly string[]) {
    if (!isObject(body)) throw new ApiError('bad_argument', 'Send the fields as a JSON object.');
    this.#fields = body;
    for (const name of Object.keys(body)) if (!known.includes(name)) throw invalidField(shortened(name), 'There is no such field.');
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  /** @param missing error message if the field is missing or empty */
  text(name: string, missing: string): string {
    const value = this.#fields[name];
    if (value === undefined || value === '') throw invalidField(name, missing);
    if (typeof value !== 'string') throw invalidField(name, 'This must be a text.');
    return value;
  }

  email(name: string): string {
    const address = this.text(name, 'Enter your e-mail address.').trim();
    if (!isEmailAddress(address)) throw invalidField(name, 'This is not an e-mail address. It looks like ada@example.org.');
    return address;
  }

  /** Only the length is checked; see `isCommonPassword`. */
  newPassword(name: string): string {
    const password = this.text(name, 'Choose a password.');
    const length = [...password].length;
    if (length < passwordChars.min) throw invalidField(name, `Use at least ${passwordChars.min} characters. A few words in a row will do.`);
    if (length > passwordChars.max) throw invalidField(name, `Use at most ${passwordChars.max} characters.`);
    return password;
  }

  password(name: string, missing: string): string {
    const password = this.text(name, missing);
    // A longer password cannot have been chosen: don't spend a hash on it.
    if ([...password].length > passwordChars.max) throw invalidField(name, `A password has at most ${passwordChars.max} characters.`);
    return password;
  }
}

function shortened(name: string): string {
  if (name === '') return '""';
  return name.length > shownCharsMax ? `${name.slice(0, shownCharsMax)}...` : name;
}

const shownCharsMax = 40;

export function invalidField(field: string, sentence: string): ApiError {
  return new ApiError('bad_argument', sentence, { field });
}

/** @throws {ConsoleError} conflict with the store's message, if the account has reached a limit */
export async function conflictWhenFull<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StoreError && error.kind === 'full' ? new ConsoleError('conflict', error.message) : error;
  }
}

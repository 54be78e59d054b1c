/** Who is at the page: a session by its cookie, admitted as an API key is, for its record is one. */
import type { IncomingMessage } from 'node:http';
import { ApiError, ConsoleError } from '@perch/schema';
import type { AdmittedKey } from '@perch/store';
import type { Admission } from '../../auth/admission.js';
import type { Exchange } from '../../http/exchange.js';
import type { Cookies } from './cookies.js';
import { requireCsrf } from './csrf.js';
import type { OwnPage } from '../static/own-page.js';

export interface VisitorsOptions {
  admission: Admission;
  cookies: Cookies;
  ownPage: OwnPage;
}

/** A session that works: its account, and what `HeldCalls` looks at. */
export interface Session extends AdmittedKey {
  /** The cookie's. Never logged, never answered. */
  secret: string;
}

const secretShape = /^ps_[\w-]{43}$/;

export class Visitors {
  readonly #options: VisitorsOptions;

  constructor(options: VisitorsOptions) {
    this.#options = options;
  }

  /**
   * The session of a page that may ask for this: it is ours, and where it changes something it has read our answers.
   * @param robot as the path has it, or null where the path names none
   * @param cost what is taken from the session's bucket
   * @throws {ConsoleError} forbidden, signed_out @throws {ApiError} unknown_robot, rate_limited, service_unavailable
   */
  async admit(exchange: Exchange, robot: string | null, cost: number): Promise<Session> {
    const { request } = exchange;
    this.requireOwnPage(exchange);
    const secret = this.#secretOf(request);
    if (secret === null) throw signedOut();
    if (changes(request)) requireCsrf(request, secret);
    try {
      const admitted = await this.#options.admission.admitSecret(secret, robot, cost, exchange);
      // The cookie is every tab's: a page that was another account's sees by this that the answer is not for it.
      exchange.setHeader('perch-account', admitted.account);
      return { ...admitted, secret };
    } catch (error) {
      throw error instanceof ApiError && error.code === 'unauthorized' ? signedOut() : error;
    }
  }

  /** The session of this browser, whatever page it is at; null where it has none that works. */
  async find(exchange: Exchange): Promise<Session | null> {
    const secret = this.#secretOf(exchange.request);
    if (secret === null) return null;
    try {
      return { ...(await this.#options.admission.admitSecret(secret, null, 0, exchange)), secret };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unauthorized') return null;
      throw error;
    }
  }

  /** @throws {ConsoleError} forbidden */
  requireOwnPage({ request }: Exchange): void {
    this.#options.ownPage.require(request);
  }

  /** An API key in the cookie is refused, as a session in place of an API key is: each opens its own door. */
  #secretOf(request: IncomingMessage): string | null {
    const secret = this.#options.cookies.read(request, 'session');
    return secret !== null && secretShape.test(secret) ? secret : null;
  }
}

function changes({ method }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

function signedOut(): ConsoleError {
  return new ConsoleError('signed_out', 'Nobody is signed in here, or the session ended. Sign in.');
}

/** Authenticates the session cookie of a request. A session's record is an API key's, so it is admitted like an API key. */
import type { IncomingMessage } from 'node:http';
import { ApiError, ConsoleError } from '@perch/schema';
import type { AdmittedKey } from '@perch/store';
import type { Admission } from '../../auth/admission.js';
import type { Exchange } from '../../http/exchange.js';
import type { GuestAdmission } from '../sharing/guest-admission.js';
import { type Cookies, requireCsrf } from './cookies.js';
import type { PageOriginCheck } from '../page.js';

export interface SessionAuthOptions {
  admission: Admission;
  guests: GuestAdmission;
  cookies: Cookies;
  originCheck: PageOriginCheck;
}

export interface Session extends AdmittedKey {
  secret: string;
}

const secretShape = /^ps_[\w-]{43}$/;

export class SessionAuth {
  readonly #options: SessionAuthOptions;

  constructor(options: SessionAuthOptions) {
    this.#options = options;
  }

  /**
   * Of the interface, whose actions are limited for all sessions of the account together.
   * @param robot unchecked; null if the path has none @throws {ConsoleError} forbidden, signed_out @throws {ApiError} as `Admission.admit`
   */
  admit(exchange: Exchange, robot: string | null, cost: number): Promise<Session> {
    return this.#admitWith(exchange, (secret) => this.#admitToRobot(secret, robot, cost, exchange));
  }

  /** Admits to the page's own routes, which each browser may ask as often as its session allows. @throws as `admit` */
  admitToPage(exchange: Exchange, cost: number): Promise<Session> {
    return this.#admitWith(exchange, (secret) => this.#options.admission.admitSecret(secret, null, cost, exchange));
  }

  async #admitWith(exchange: Exchange, admit: (secret: string) => Promise<AdmittedKey>): Promise<Session> {
    const { request } = exchange;
    this.requirePageOrigin(exchange);
    exchange.via = 'page';
    const secret = this.#secretOf(request);
    if (secret === null) throw signedOut();
    if (changes(request)) requireCsrf(request, secret);
    try {
      const admitted = await admit(secret);
      // All tabs share the cookie: by this header, a tab of another account recognizes that the response is not for it.
      exchange.setHeader('perch-account', admitted.guest?.account ?? admitted.account);
      return { ...admitted, secret };
    } catch (error) {
      throw error instanceof ApiError && error.code === 'unauthorized' ? signedOut() : error;
    }
  }

  /** A robot of another account costs one more read, whether it is shared or not; the account's own robots cost none. */
  async #admitToRobot(secret: string, robot: string | null, cost: number, exchange: Exchange): Promise<AdmittedKey> {
    const { admission, guests } = this.#options;
    try {
      return await admission.admitSession(secret, robot, cost, exchange);
    } catch (error) {
      if (robot === null || !(error instanceof ApiError) || error.code !== 'unknown_robot') throw error;
      const guest = await guests.admit(secret, robot, cost, exchange);
      if (guest === null) throw error;
      return guest;
    }
  }

  /** Returns the session of the browser without checking the page's origin; null if it has no valid session. */
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

  requirePageOrigin({ request }: Exchange): void {
    this.#options.originCheck.require(request);
  }

  /** Rejects an API key in the cookie: API keys and sessions are not interchangeable. */
  #secretOf(request: IncomingMessage): string | null {
    const secret = this.#options.cookies.read(request, 'session');
    return secret !== null && secretShape.test(secret) ? secret : null;
  }
}

function changes({ method }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

export function signedOut(): ConsoleError {
  return new ConsoleError('signed_out', 'You are not signed in, or your session has ended. Sign in.');
}

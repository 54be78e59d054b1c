/** The page `/authorize`: what an OAuth client asks for, and the user's consent. Nothing is stored before the user allows it. */
import { ApiError, validateAuthorizationQuery, validateConsent, type AuthorizationAnswer, type ConsentAnswer } from '@perch/schema';
import type { Store } from '@perch/store';
import type { BaseUrl } from '../discovery/discovery.js';
import {
  authorizationRequestOf,
  codeAddress,
  errorAddress,
  returnAddressOf,
  type AuthorizationRequest,
  type ReturnAddress,
} from '../oauth/authorization-request.js';
import type { ClientDescription, ClientDirectory } from '../oauth/client-directory.js';
import { OAuthError, Parameters } from '../oauth/oauth-error.js';
import { placeOf } from '../oauth/redirect-uri.js';
import { conflictWhenFull, type SessionRequest, type SessionRoute } from './route.js';

interface AuthorizationRoutesOptions {
  store: Pick<Store, 'grants' | 'robots' | 'endings'>;
  clients: ClientDirectory;
  baseUrl: BaseUrl;
  keysMax: number;
}

interface ConsentRequest {
  client: ClientDescription;
  to: ReturnAddress;
  /** Or why the client gets an error. */
  request: AuthorizationRequest | OAuthError;
}

export function authorizationRoutes({ store, clients, baseUrl, keysMax }: AuthorizationRoutesOptions): SessionRoute[] {
  /** @throws {ApiError} bad_argument: the browser must not be sent anywhere */
  async function askedIn(query: string, { exchange, session }: SessionRequest): Promise<ConsentRequest> {
    const base = baseUrl(exchange.request);
    const parameters = new Parameters(query);
    return orBadArgument(async () => {
      const client = await clients.find(parameters.get('client_id'), session.account);
      const to = returnAddressOf(parameters, client, base);
      return { client, to, request: tried(() => authorizationRequestOf(parameters, base)) };
    });
  }

  async function find(request: SessionRequest): Promise<AuthorizationAnswer> {
    const { client, to, request: asked } = await askedIn(validateAuthorizationQuery(await request.body()), request);
    const shown = { name: client.name, host: client.host, place: placeOf(to.redirectUri) };
    if (asked instanceof OAuthError)
      return { ok: true, client: shown, scopes: [], problem: asked.message, cancel: errorAddress(to, asked.code, asked.message) };
    return {
      ok: true,
      client: shown,
      scopes: [...asked.scopes],
      problem: null,
      cancel: errorAddress(to, 'access_denied', 'The user did not allow it.'),
    };
  }

  async function allow(request: SessionRequest): Promise<ConsentAnswer> {
    const { query, robots, scopes } = validateConsent(await request.body());
    const { account } = request.session;
    const { client, to, request: asked } = await askedIn(query, request);
    if (asked instanceof OAuthError) throw new ApiError('bad_argument', asked.message);
    const unasked = scopes.findIndex((scope) => !asked.scopes.includes(scope));
    if (unasked !== -1) throw new ApiError('bad_argument', `scopes[${unasked}]: the client does not ask for it`, { field: `scopes[${unasked}]` });
    const foreign = robots === '*' ? -1 : await store.robots.firstForeign(account, robots);
    if (foreign !== -1) throw new ApiError('bad_argument', `robots[${foreign}]: not a robot of this account`, { field: `robots[${foreign}]` });
    const { code, id } = await conflictWhenFull(() =>
      store.grants.begin({
        account,
        name: client.name,
        robots,
        scopes,
        max: keysMax,
        client: client.id,
        address: client.host ?? placeOf(to.redirectUri).name,
        redirectUri: to.redirectUri,
        challenge: asked.challenge,
        resource: asked.resource,
      }),
    );
    return { ok: true, key: { id }, redirect: codeAddress(to, code) };
  }

  async function undo({ session: { account } }: SessionRequest, made: unknown): Promise<void> {
    await store.endings.end({ reason: 'key_revoked', account, key: (made as ConsentAnswer).key.id, removeWebhooks: true });
  }

  const label = 'console_authorizations';
  return [
    { for: 'session', method: 'POST', path: 'authorizations/find', cost: 1, label, handle: find },
    { for: 'session', method: 'POST', path: 'authorizations', cost: 1, label, audit: 'client_connect', handle: allow, undo },
  ];
}

function tried<T>(work: () => T): T | OAuthError {
  try {
    return work();
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
}

async function orBadArgument<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof OAuthError ? new ApiError('bad_argument', error.message) : error;
  }
}

/** Endpoints that clients call themselves: metadata, registration, tokens and revocation. Browsers use the page's `/authorize` (authorization-routes.ts). */
import { clientSite, targetOf, type ClientAddresses, type Logger } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import type { Store } from '@perch/store';
import { asApiError, ClientGone } from '../calls/failures.js';
import type { BaseUrl } from '../discovery/discovery.js';
import type { AllowedHosts } from '../http/allowed-hosts.js';
import { crossOrigin } from '../http/cors.js';
import type { Drain } from '../http/drain.js';
import { noteFailure, sendFailure } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import type { JsonBodies } from '../http/json-body.js';
import { notFound, Router, type Answer, type Route } from '../http/router.js';
import { serve } from '../http/serve.js';
import { clientMetadataOf } from './client-metadata.js';
import type { KnownClients } from './known-clients.js';
import { resourceMetadata, resourceMetadataPath, serverMetadata } from './metadata.js';
import { OAuthError } from './oauth-error.js';
import { Parameters } from './parameters.js';
import { TokenEndpoint, type Disconnections } from './token-endpoint.js';

export interface OAuthOptions {
  store: Pick<Store, 'grants' | 'oauthClients' | 'attempts'>;
  clients: KnownClients;
  baseUrl: BaseUrl;
  hosts: AllowedHosts;
  bodies: JsonBodies;
  addresses: ClientAddresses;
  audits: Disconnections;
  drain: Drain;
  log: Logger;
}

const metadataBound = { bytesMax: 16_384, help: 'Send less metadata.' };
const formBound = { bytesMax: 8192, help: 'Send less.' };

export interface OAuth {
  readonly paths: readonly string[];
  readonly answer: (exchange: Exchange) => Promise<void>;
}

export function createOAuth({ store, clients, baseUrl, hosts, bodies, addresses, audits, drain, log }: OAuthOptions): OAuth {
  const tokens = new TokenEndpoint({ store, clients, audits });
  const network = ({ request }: Exchange): string => addresses.networkOf(request);

  async function form(exchange: Exchange): Promise<Parameters> {
    const { authorization, 'content-type': type = '' } = exchange.request.headers;
    if (authorization !== undefined)
      throw new OAuthError('invalid_client', 'Clients have no secret here: send client_id in the body.', { status: 401 });
    if (type.split(';')[0]!.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
      throw new OAuthError('invalid_request', 'Send the parameters as application/x-www-form-urlencoded.');
    return new Parameters((await bodies.readBytes(exchange, network(exchange), formBound)).toString('utf8'));
  }

  async function register(exchange: Exchange): Promise<null> {
    const client = clientMetadataOf(await bodies.read(exchange, network(exchange), metadataBound));
    const retryAfterS = await store.attempts.count('registration', network(exchange));
    if (retryAfterS !== null) throw tooManyClients(retryAfterS);
    const id = await store.oauthClients.register(client, clientSite(network(exchange))).catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'rate_limited' ? tooManyClients(error.retryAfterS) : error;
    });
    const registered = {
      client_id: id,
      client_id_issued_at: Math.floor(Date.now() / 1000),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
    exchange.answer(201, JSON.stringify(registered));
    return null;
  }

  const tooManyClients = (retryAfterS = 1): OAuthError =>
    new OAuthError('temporarily_unavailable', 'Too many clients were registered from your network. Try again later.', { status: 429, retryAfterS });

  const label = 'oauth';
  const described = (method: 'GET', path: string, of: (base: string) => object): Route<Exchange> => ({
    method,
    path,
    cost: 0,
    label,
    handle: async ({ request }) => of(baseUrl(request)),
  });
  const routes: Route<Exchange>[] = [
    described('GET', resourceMetadataPath, resourceMetadata),
    described('GET', '.well-known/oauth-protected-resource', resourceMetadata),
    described('GET', '.well-known/oauth-authorization-server', serverMetadata),
    { method: 'POST', path: 'oauth/register', cost: 0, label, handle: register },
    {
      method: 'POST',
      path: 'oauth/token',
      cost: 0,
      label,
      handle: async (exchange) => tokens.issue(exchange, await form(exchange), baseUrl(exchange.request)),
    },
    { method: 'POST', path: 'oauth/revoke', cost: 0, label, handle: async (exchange) => tokens.revoke(exchange, await form(exchange)) },
  ];
  const router = new Router(routes);

  async function answer(exchange: Exchange): Promise<Answer> {
    exchange.action = label;
    const { host } = exchange.request.headers;
    const problem = hosts.problem({ host });
    if (problem !== null) throw new OAuthError('invalid_request', problem, { status: 403 });
    const { resource } = router.match(targetOf(exchange.request).path);
    if (resource === undefined) throw notFound();
    exchange.route = resource.template;
    const route = resource.route(exchange.request.method);
    if (route === undefined) throw resource.wrongMethod(exchange);
    return route.handle(exchange);
  }

  /** Members of RFC 6749, 5.2, for every failure. */
  async function answerWithErrors(exchange: Exchange): Promise<Answer> {
    try {
      return await answer(exchange);
    } catch (cause) {
      if (cause instanceof ClientGone) throw cause;
      const error = cause instanceof OAuthError ? cause : oauthErrorOf(exchange, cause);
      if (cause instanceof OAuthError) exchange.code = error.status === 401 ? 'unauthorized' : error.status === 429 ? 'rate_limited' : 'bad_argument';
      if (error.retryAfterS !== null) exchange.setHeader('retry-after', String(error.retryAfterS));
      if (drain.announced) exchange.setHeader('connection', 'close');
      exchange.answer(error.status, JSON.stringify({ error: error.code, error_description: error.message }));
      return null;
    }
  }

  function oauthErrorOf(exchange: Exchange, cause: unknown): OAuthError {
    const error: ApiError = asApiError(cause);
    noteFailure(exchange, error, cause, log);
    const code = error.status < 500 ? 'invalid_request' : error.status === 503 ? 'temporarily_unavailable' : 'server_error';
    return new OAuthError(code, error.message, { status: error.status, retryAfterS: error.retryAfterS ?? null });
  }

  return {
    paths: routes.map(({ path }) => `/${path}`),
    answer: async (exchange) => {
      try {
        if (!crossOrigin(exchange)) await serve(exchange, { drain, log }, answerWithErrors);
      } catch (error) {
        sendFailure(exchange, error, log);
      }
    },
  };
}

/** Endpoints that clients call themselves: metadata, registration, tokens and revocation. Browsers use the page's `/authorize` (authorization-routes.ts). */
import { clientSite, targetOf, type ClientAddresses, type Logger } from '@perch/runtime';
import { ApiError, defaultScopes, type KeyScope } from '@perch/schema';
import type { Store, IssuedTokens, Refusal } from '@perch/store';
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
import { clientMetadataOf, type ClientDirectory, unknownClient } from './client-directory.js';
import { OAuthError, Parameters } from './oauth-error.js';
import { isOurResource, resourceOf, scopesOf } from './authorization-request.js';

export interface OAuthOptions {
  store: Pick<Store, 'grants' | 'oauthClients' | 'attempts'>;
  clients: ClientDirectory;
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

/** The account's activity and the log. */
interface Disconnections {
  record(kind: 'client_disconnect', outcome: string, exchange: Exchange, about: { account?: string | undefined; key_id?: string | undefined }): void;
}

interface TokenEndpointOptions {
  store: Pick<Store, 'grants'>;
  clients: ClientDirectory;
  audits: Disconnections;
}

const verifierShape = /^[\w.~-]{43,128}$/;

/** Exchanges codes and refresh tokens for access tokens (RFC 6749, 7636, 8707), and ends grants (RFC 7009). Clients are public: PKCE proves them. */
class TokenEndpoint {
  readonly #options: TokenEndpointOptions;

  constructor(options: TokenEndpointOptions) {
    this.#options = options;
  }

  /** @param base address that the client uses @throws {OAuthError} */
  async issue(exchange: Exchange, parameters: Parameters, base: string): Promise<object> {
    const { grants } = this.#options.store;
    const kind = parameters.get('grant_type');
    const client = parameters.get('client_id');
    const resource = this.#resourceOf(parameters, base);
    let result: IssuedTokens | Refusal;
    if (kind === 'authorization_code') {
      const verifier = parameters.get('code_verifier');
      if (!verifierShape.test(verifier)) throw invalidGrant();
      const redirectUri = parameters.find('redirect_uri');
      result = await grants.exchangeCode(parameters.get('code'), { client, resource, redirectUri, verifier });
    } else if (kind === 'refresh_token') {
      const scopes = scopesOf(parameters);
      result = await grants.refresh(parameters.get('refresh_token'), { client, resource, scopes });
    } else throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
    if ('refused' in result) throw await this.#refusal(exchange, result, client);
    const { access, refresh, expiresInS, scopes } = result;
    return { access_token: access, token_type: 'Bearer', expires_in: expiresInS, refresh_token: refresh, scope: scopes.join(' ') };
  }

  /** RFC 7009, 2.2: a token that is not valid is no error. */
  async revoke(exchange: Exchange, parameters: Parameters): Promise<object> {
    const ended = await this.#options.store.grants.revoke(parameters.get('token'), parameters.get('client_id'));
    if (ended !== null) this.#options.audits.record('client_disconnect', 'ok', exchange, { account: ended.account, key_id: ended.id });
    return {};
  }

  #resourceOf(parameters: Parameters, base: string): string | undefined {
    const resource = parameters.find('resource');
    return resource !== undefined && isOurResource(resource, base) ? resourceOf(base) : resource;
  }

  async #refusal(exchange: Exchange, refusal: Refusal, client: string): Promise<OAuthError> {
    if (refusal.refused === 'too_many')
      return new OAuthError('temporarily_unavailable', 'Tokens of this connection were refreshed too often.', {
        status: 429,
        retryAfterS: refusal.retryAfterS,
      });
    if (refusal.refused === 'more_scopes') return new OAuthError('invalid_scope', 'The user allowed fewer scopes.');
    if (refusal.refused === 'other_resource') return new OAuthError('invalid_target', 'The user allowed another resource.');
    if (refusal.refused === 'reused') {
      const { account, id } = refusal;
      this.#options.audits.record('client_disconnect', 'reused', exchange, { account, key_id: id });
      return invalidGrant();
    }
    return (await this.#options.clients.isForgotten(client)) ? unknownClient() : invalidGrant();
  }
}

function invalidGrant(): OAuthError {
  return new OAuthError('invalid_grant', 'The code or token is not valid: unknown, used, expired, revoked, or of another client.');
}

// Metadata of the MCP server as a protected resource (RFC 9728), and of the service as its authorization server (RFC 8414).

/** Clients ask for every scope that is listed here (MCP, authorization, scope selection), so it lists the default ones. */
const resourceMetadataPath = '.well-known/oauth-protected-resource/mcp';

const resourceMetadata = (base: string): object => ({
  resource: resourceOf(base),
  authorization_servers: [base],
  scopes_supported: defaultScopes,
  bearer_methods_supported: ['header'],
  resource_name: 'Perch',
  resource_documentation: `${base}/docs`,
});

const serverMetadata = (base: string): object => ({
  issuer: base,
  authorization_endpoint: `${base}/authorize`,
  token_endpoint: `${base}/oauth/token`,
  registration_endpoint: `${base}/oauth/register`,
  revocation_endpoint: `${base}/oauth/revoke`,
  scopes_supported: defaultScopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  protected_resources: [resourceOf(base)],
  service_documentation: `${base}/docs`,
});

/** Parameters that a 401 or 403 of /mcp adds to its challenge (RFC 9728, 5.1; RFC 6750, 3.1). @param scopes that the client is to ask for */
export function challengeOf(base: string, scopes: readonly KeyScope[] = defaultScopes): string {
  return `resource_metadata="${base}/${resourceMetadataPath}", scope="${scopes.join(' ')}"`;
}

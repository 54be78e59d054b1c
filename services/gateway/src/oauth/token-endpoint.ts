/** Exchanges codes and refresh tokens for access tokens (RFC 6749, 7636, 8707), and ends grants (RFC 7009). Clients are public: PKCE proves them. */
import type { IssuedTokens, Refusal, Store } from '@perch/store';
import type { Exchange } from '../http/exchange.js';
import { isOurResource, resourceOf, scopesOf } from './authorization-request.js';
import { unknownClient, type KnownClients } from './known-clients.js';
import { OAuthError } from './oauth-error.js';
import type { Parameters } from './parameters.js';

/** The account's activity and the log. */
export interface Disconnections {
  record(kind: 'client_disconnect', outcome: string, exchange: Exchange, about: { account?: string | undefined; key_id?: string | undefined }): void;
}

export interface TokenEndpointOptions {
  store: Pick<Store, 'grants'>;
  clients: KnownClients;
  audits: Disconnections;
}

const verifierShape = /^[\w.~-]{43,128}$/;

export class TokenEndpoint {
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

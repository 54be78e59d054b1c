/** A request at the authorization endpoint: authorization code with PKCE (S256) for the MCP server of this service. */
import { defaultScopes, keyScopes, type KeyScope } from '@perch/schema';
import type { ClientDescription } from './client-directory.js';
import { OAuthError, type OAuthErrorCode, type Parameters } from './oauth-error.js';
import { redirectMatches } from './redirect-uri.js';

export interface AuthorizationRequest {
  /** Scopes that the client asks for; all if it names none of ours. */
  scopes: readonly KeyScope[];
  challenge: string;
  resource: string;
}

/** Where the browser returns to the client. */
export interface ReturnAddress {
  redirectUri: string;
  state: string | undefined;
  issuer: string;
}

export const resourceOf = (base: string): string => `${base}/mcp`;

/** RFC 6749, 4.1.2.1: unless this succeeds, the browser is not sent to the client. @throws {OAuthError} invalid_request, invalid_redirect_uri */
export function returnAddressOf(parameters: Parameters, { redirectUris }: ClientDescription, issuer: string): ReturnAddress {
  const requested = parameters.find('redirect_uri') ?? (redirectUris.length === 1 ? redirectUris[0]! : parameters.get('redirect_uri'));
  if (!redirectUris.some((registered) => redirectMatches(registered, requested)))
    throw new OAuthError('invalid_redirect_uri', 'The address to return to is not one of the client. It may have been changed by somebody else.');
  return { redirectUri: requested, state: parameters.find('state'), issuer };
}

/** @throws {OAuthError} which the client gets to know */
export function authorizationRequestOf(parameters: Parameters, base: string): AuthorizationRequest {
  if (parameters.get('response_type') !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  const challenge = parameters.get('code_challenge');
  if (parameters.find('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge))
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256, and code_challenge a SHA-256 in base64url.');
  const resource = parameters.find('resource') ?? resourceOf(base);
  if (!isOurResource(resource, base)) throw new OAuthError('invalid_target', `resource must be ${resourceOf(base)}.`);
  return { scopes: scopesOf(parameters) ?? defaultScopes, challenge, resource: resourceOf(base) };
}

/** Undefined if the client names none of ours. */
export function scopesOf(parameters: Parameters): readonly KeyScope[] | undefined {
  const asked = parameters.find('scope')?.split(' ') ?? [];
  const known = keyScopes.filter((scope) => asked.includes(scope));
  return known.length === 0 ? undefined : known;
}

/** RFC 8707. With or without a slash at the end, and a query, which clients keep of the address that they were given (PrefectHQ/fastmcp#2966). */
export function isOurResource(resource: string, base: string): boolean {
  return resource.replace(/\/?(?:\?[^#]*)?$/, '') === resourceOf(base);
}

export function errorAddress(to: ReturnAddress, error: OAuthErrorCode | 'access_denied', description: string): string {
  return addressWith(to, { error, error_description: description });
}

export function codeAddress(to: ReturnAddress, code: string): string {
  return addressWith(to, { code });
}

/**
 * With the issuer (RFC 9207), so that a client of several servers sees which one answers. A query of the client's own is retained as it is (RFC 6749,
 * 3.1.2).
 */
function addressWith({ redirectUri, state, issuer }: ReturnAddress, members: Readonly<Record<string, string>>): string {
  const parameters = new URLSearchParams({ ...members, ...(state === undefined ? {} : { state }), iss: issuer });
  const [, query] = redirectUri.split('?', 2);
  const joint = query === undefined ? '?' : query === '' || query.endsWith('&') ? '' : '&';
  return `${redirectUri}${joint}${parameters.toString()}`;
}

/** Metadata of a client, as it registers itself (RFC 7591) or as its document says. Unknown members are ignored. */
import { isObject, nameProblem } from '@perch/schema';
import type { RegisteredClient } from '@perch/store';
import { OAuthError } from './oauth-error.js';
import { placeOf, redirectUriProblem } from './redirect-uri.js';

const redirectUrisMax = 10;

/** @throws {OAuthError} invalid_client_metadata, invalid_redirect_uri */
export function clientMetadataOf(given: unknown): RegisteredClient {
  if (!isObject(given)) throw new OAuthError('invalid_client_metadata', 'Client metadata is a JSON object.');
  const { redirect_uris: uris, client_name: name, grant_types: grants, response_types: responses } = given;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > redirectUrisMax || !uris.every((uri) => typeof uri === 'string'))
    throw new OAuthError('invalid_redirect_uri', `redirect_uris must be a list of 1 to ${redirectUrisMax} URIs.`);
  for (const uri of uris) {
    const problem = redirectUriProblem(uri);
    if (problem !== null) throw new OAuthError('invalid_redirect_uri', `A redirect URI ${problem}.`);
  }
  if (Array.isArray(grants) && !grants.includes('authorization_code'))
    throw new OAuthError('invalid_client_metadata', 'grant_types must include authorization_code.');
  if (Array.isArray(responses) && !responses.includes('code')) throw new OAuthError('invalid_client_metadata', 'response_types must include code.');
  const redirectUris = [...new Set(uris)];
  return { name: shownName(name) ?? placeOf(redirectUris[0]!).name, redirectUris };
}

/** A name that could not be shown as one line of text is as good as none. */
function shownName(name: unknown): string | null {
  if (typeof name !== 'string' || name.trim() === '') return null;
  const short = [...name.trim()].slice(0, nameCharsMax).join('').trim();
  return nameProblem(short) === null ? short : null;
}

const nameCharsMax = 60;

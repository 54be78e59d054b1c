/** Authorization code flow with PKCE, state and nonce, kept in Redis under a secret in the browser's cookie: no other browser can respond. */
import { Lazy } from '@perch/runtime';
import { isEmailAddress } from '@perch/schema';
import type { Store } from '@perch/store';
import type { Identity } from '@perch/store';
import * as client from 'openid-client';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
}

export interface Person {
  identity: Identity;
  /** Returns the verified address, or null if the provider has none. Queries the provider's userinfo endpoint if the ID token has no address. */
  email: () => Promise<string | null>;
}

interface PendingSignIn {
  redirectUri: string;
  verifier: string;
  state: string;
  nonce: string;
}

const timeoutS = 10;
export const oidcSignInMs = 600_000;

export class Oidc {
  readonly #settings: OidcSettings;
  readonly #pending: Store['oidcSignIns'];
  readonly #provider = new Lazy(() => this.#discover());

  constructor(settings: OidcSettings, pending: Store['oidcSignIns']) {
    this.#settings = settings;
    this.#pending = pending;
  }

  /** @returns URL to redirect the browser to, and the secret for its cookie @throws if the provider cannot be reached */
  async begin(redirectUri: string): Promise<{ url: URL; secret: string }> {
    const provider = await this.#provider.get();
    const began: PendingSignIn = {
      redirectUri,
      verifier: client.randomPKCECodeVerifier(),
      state: client.randomState(),
      nonce: client.randomNonce(),
    };
    const url = client.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: 'openid email',
      code_challenge: await client.calculatePKCECodeChallenge(began.verifier),
      code_challenge_method: 'S256',
      state: began.state,
      nonce: began.nonce,
    });
    return { url, secret: await this.#pending.make(JSON.stringify(began), oidcSignInMs) };
  }

  /** Works once. @returns null if this browser has no pending sign-in, or it expired @throws if the provider refused, or its response is not valid */
  async finish(secret: string, query: URLSearchParams): Promise<Person | null> {
    const kept = await this.#pending.take(secret);
    if (kept === null) return null;
    const { redirectUri, verifier, state, nonce } = JSON.parse(kept) as PendingSignIn;
    const provider = await this.#provider.get();
    const answered = new URL(redirectUri);
    answered.search = query.toString();
    const tokens = await client.authorizationCodeGrant(provider, answered, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
    });
    const claims = tokens.claims();
    // All users with an empty subject would share one account.
    if (claims === undefined || claims.sub === '') throw new Error('the provider sent no ID token, or one without a subject');
    return {
      identity: { issuer: claims.iss, subject: claims.sub },
      async email() {
        if (claims['email'] !== undefined) return verifiedEmail(claims);
        // Providers that keep ID tokens small return the claims of a scope from the userinfo endpoint, if they have one.
        if (provider.serverMetadata().userinfo_endpoint === undefined) return null;
        return verifiedEmail(await client.fetchUserInfo(provider, tokens.access_token, claims.sub));
      },
    };
  }

  #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const options = { timeout: timeoutS, ...(issuer.startsWith('http:') ? { execute: [client.allowInsecureRequests] } : {}) };
    return client.discovery(new URL(issuer), clientId, undefined, authentication(clientSecret), options);
  }
}

function verifiedEmail({ email, email_verified: verified }: Readonly<Record<string, unknown>>): string | null {
  return typeof email === 'string' && verified === true && isEmailAddress(email) ? email : null;
}

/** Returns client_secret_basic, the default of OpenID Connect Registration (section 2), or client_secret_post if the provider does not support it. */
function authentication(secret: string | null): client.ClientAuth {
  if (secret === null) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) =>
    ((server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true) ? basic : post)(server, ...rest);
}

/**
 * Signing in with an OpenID Connect provider: the code flow with PKCE, state and nonce. What the provider's answer is held against lies in
 * Redis, under a secret that is in the cookie of the browser that began alone: an answer that another browser brings is none.
 */
import { isEmailAddress } from '@perch/schema';
import type { Store } from '@perch/store';
import type { Identity } from '@perch/store';
import * as client from 'openid-client';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
}

export interface Person {
  identity: Identity;
  /** The verified address; null where the provider vouches for none. Asks the provider where it did not say with the identity. */
  email: () => Promise<string | null>;
}

interface SignInUnderWay {
  redirectUri: string;
  verifier: string;
  state: string;
  nonce: string;
}

/** Of each request to the provider, seconds. */
const timeoutS = 10;
/** How long a person may take at the provider, ms. */
export const oidcSignInMs = 600_000;

export class Oidc {
  readonly #settings: OidcSettings;
  readonly #underWay: Store['oidcSignIns'];
  #provider: Promise<client.Configuration> | null = null;

  constructor(settings: OidcSettings, underWay: Store['oidcSignIns']) {
    this.#settings = settings;
    this.#underWay = underWay;
  }

  /** @returns where to send the browser, and what its cookie keeps meanwhile @throws where the provider cannot be reached */
  async begin(redirectUri: string): Promise<{ url: URL; secret: string }> {
    const provider = await this.#discovered();
    const began: SignInUnderWay = {
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
    return { url, secret: await this.#underWay.make(JSON.stringify(began), oidcSignInMs) };
  }

  /**
   * Who signed in, by what the provider sent the browser back with. Works once.
   * @returns null where this browser began nothing, or too long ago @throws where the provider said no, or its answer is not to be believed
   */
  async finish(secret: string, query: URLSearchParams): Promise<Person | null> {
    const kept = await this.#underWay.take(secret);
    if (kept === null) return null;
    const { redirectUri, verifier, state, nonce } = JSON.parse(kept) as SignInUnderWay;
    const provider = await this.#discovered();
    const answered = new URL(redirectUri);
    answered.search = query.toString();
    const tokens = await client.authorizationCodeGrant(provider, answered, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
    });
    const claims = tokens.claims();
    // Whoever has no name at the provider would be one and the same here.
    if (claims === undefined || claims.sub === '') throw new Error('the provider sent no ID token, or one of nobody');
    return {
      identity: { issuer: claims.iss, subject: claims.sub },
      async email() {
        if (claims['email'] !== undefined) return verifiedEmail(claims);
        // Where the ID token is kept small, what belongs to a scope is told at the provider's own door, if it has one.
        if (provider.serverMetadata().userinfo_endpoint === undefined) return null;
        return verifiedEmail(await client.fetchUserInfo(provider, tokens.access_token, claims.sub));
      },
    };
  }

  /** Asked once; again where it failed. */
  #discovered(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const options = { timeout: timeoutS, ...(issuer.startsWith('http:') ? { execute: [client.allowInsecureRequests] } : {}) };
    this.#provider ??= client.discovery(new URL(issuer), clientId, undefined, authentication(clientSecret), options).catch((error: unknown) => {
      this.#provider = null;
      throw error;
    });
    return this.#provider;
  }
}

function verifiedEmail({ email, email_verified: verified }: Readonly<Record<string, unknown>>): string | null {
  return typeof email === 'string' && verified === true && isEmailAddress(email) ? email : null;
}

/** As a client is registered unless it says otherwise (OpenID Connect Registration, 2), where the provider takes that. */
function authentication(secret: string | null): client.ClientAuth {
  if (secret === null) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) =>
    ((server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true) ? basic : post)(server, ...rest);
}

/**
 * The two ceremonies of WebAuthn. The challenge that an authenticator signs is a one-time token, so that each works once, within five minutes, and for
 * what it was made for. Sign-ins name no account: the passkey does. Since it takes the place of the password, the authenticator must verify the user.
 */
import { Lazy } from '@perch/runtime';
import type { NewPasskeyResponse, UsedPasskeyResponse } from '@perch/schema';
import type { NewPasskey, Passkey, Store } from '@perch/store';
import type * as WebAuthnServer from '@simplewebauthn/server';
import type { RelyingParty } from './relying-parties.js';

const challengeLifeMs = 300_000;

/** ES256, and RS256 for Windows Hello: every authenticator has one of them. */
const algorithms = [-7, -257];

/** Values of challenges. */
const signingIn = 'sign-in';
const addingIn = (session: string): string => `add ${session}`;

export interface NewUser {
  /** Id of the account. Authenticators keep it and send it with each sign-in. */
  account: string;
  email: string;
  /** Hash of the session's secret. */
  session: string;
  passkeys: readonly Passkey[];
}

/** Why a response was refused; for the log. */
export class RefusedPasskey extends Error {
  override readonly name = 'RefusedPasskey';
}

export class WebAuthn {
  readonly #challenges: Store['challenges'];

  constructor(challenges: Store['challenges']) {
    this.#challenges = challenges;
  }

  /** @returns options for `navigator.credentials.create()` */
  async creationOptions({ id }: RelyingParty, { account, email, session, passkeys }: NewUser): Promise<object> {
    const { generateRegistrationOptions } = await library.get();
    return generateRegistrationOptions({
      rpName: 'Perch',
      rpID: id,
      userID: new TextEncoder().encode(account),
      userName: email,
      userDisplayName: email,
      challenge: await this.#challenges.make(addingIn(session), challengeLifeMs),
      timeout: challengeLifeMs,
      attestationType: 'none',
      excludeCredentials: passkeys.map(({ credential, transports }) => ({ id: credential, transports: transports as Transport[] })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: algorithms,
    });
  }

  /** @param session as for the options @throws {RefusedPasskey} */
  async created({ id, origin }: RelyingParty, session: string, sent: NewPasskeyResponse): Promise<Omit<NewPasskey, 'name'>> {
    const challenge = await this.#takeChallenge(sent.response.clientDataJSON, addingIn(session));
    const { verifyRegistrationResponse } = await library.get();
    const result = await refusing(async () => {
      await requireNoCertificate(sent.response.attestationObject);
      return verifyRegistrationResponse({
        response: { ...forLibrary(sent), response: { ...sent.response, transports: transportsOf(sent) } },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: id,
        requireUserVerification: true,
        supportedAlgorithmIDs: algorithms,
      });
    });
    if (!result.verified) throw new RefusedPasskey('the signature is wrong');
    const { credential, credentialBackedUp } = result.registrationInfo;
    return {
      host: id,
      credential: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: transportsOf(sent),
      synced: credentialBackedUp,
    };
  }

  /** @returns options for `navigator.credentials.get()` */
  async requestOptions({ id }: RelyingParty): Promise<object> {
    const { generateAuthenticationOptions } = await library.get();
    return generateAuthenticationOptions({
      rpID: id,
      challenge: await this.#challenges.make(signingIn, challengeLifeMs),
      timeout: challengeLifeMs,
      userVerification: 'required',
    });
  }

  /** Consumes the challenge, whatever else is wrong. @throws {RefusedPasskey} */
  requireChallenge(sent: UsedPasskeyResponse): Promise<string> {
    return this.#takeChallenge(sent.response.clientDataJSON, signingIn);
  }

  /** @param challenge from `requireChallenge` @returns the signature counter of the authenticator @throws {RefusedPasskey} */
  async used(
    { id, origin }: RelyingParty,
    challenge: string,
    sent: UsedPasskeyResponse,
    { account, passkey }: { account: string; passkey: Passkey },
  ): Promise<number> {
    if (passkey.host !== id) throw new RefusedPasskey('the passkey belongs to another host name');
    const { userHandle } = sent.response;
    if (userHandle !== Buffer.from(account).toString('base64url')) throw new RefusedPasskey('the passkey names another account');
    const { verifyAuthenticationResponse } = await library.get();
    const result = await refusing(() =>
      verifyAuthenticationResponse({
        response: { ...forLibrary(sent), response: { ...sent.response, userHandle } },
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: id,
        requireUserVerification: true,
        // The script that stores the counter compares it, so that of two concurrent sign-ins one fails.
        credential: { id: passkey.credential, publicKey: Buffer.from(passkey.publicKey, 'base64url'), counter: 0 },
      }),
    );
    if (!result.verified) throw new RefusedPasskey('the signature is wrong');
    return result.authenticationInfo.newCounter;
  }

  async #takeChallenge(clientData: string, purpose: string): Promise<string> {
    const challenge = challengeOf(clientData);
    const token = Buffer.from(challenge, 'base64url').toString();
    if ((await this.#challenges.take(token)) !== purpose) throw new RefusedPasskey('the challenge is unknown, used or expired');
    return challenge;
  }
}

type Transport = NonNullable<WebAuthnServer.WebAuthnCredential['transports']>[number];

const transports: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

function transportsOf({ response }: NewPasskeyResponse): Transport[] {
  return [...new Set(response.transports)].filter((name): name is Transport => transports.includes(name));
}

/** The fields that the library needs and Perch does not read. */
function forLibrary({ id, type }: Pick<UsedPasskeyResponse, 'id' | 'type'>) {
  return { id, rawId: id, type, clientExtensionResults: {} };
}

function challengeOf(clientData: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientData, 'base64url').toString()) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    throw new RefusedPasskey('the client data is not JSON');
  }
}

/**
 * Perch asks for no attestation, so browsers remove it, or leave one that the new key signed itself. Others contain certificates, which the library may
 * check at addresses that they name.
 */
async function requireNoCertificate(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await helpers.get();
  const attestation = decodeAttestationObject(Buffer.from(attestationObject, 'base64url'));
  const format = attestation.get('fmt');
  if (format !== 'none' && !(format === 'packed' && attestation.get('attStmt').get('x5c') === undefined))
    throw new RefusedPasskey('it has an attestation with a certificate');
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new RefusedPasskey(error instanceof Error ? error.message.slice(0, 200) : 'the response cannot be read');
  }
}

/** Loads on first use: it takes megabytes, and many gateways never need it. */
const library = new Lazy(() => import('@simplewebauthn/server'));
const helpers = new Lazy(() => import('@simplewebauthn/server/helpers'));

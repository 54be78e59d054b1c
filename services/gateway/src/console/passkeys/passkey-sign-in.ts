/** Signs in with a passkey. Whatever is wrong, the answer is the same; the log says what it was. */
import type { Logger } from '@perch/runtime';
import { ConsoleError, type ConsoleSession, type PasskeyOptionsAnswer, type UsedPasskeyResponse } from '@perch/schema';
import type { Store } from '@perch/store';
import type { Exchange } from '../../http/exchange.js';
import type { SessionIssuer } from '../auth/session-issuer.js';
import type { SignInRateLimiter } from '../auth/sign-in-rate-limiter.js';
import type { RelyingParties, RelyingParty } from './relying-parties.js';
import { RefusedPasskey, type WebAuthn } from './webauthn.js';

export interface PasskeySignInOptions {
  store: Pick<Store, 'passkeys'>;
  relyingParties: RelyingParties;
  webAuthn: WebAuthn;
  sessionIssuer: SessionIssuer;
  signInLimiter: SignInRateLimiter;
  log: Logger;
}

class CopiedPasskey extends RefusedPasskey {
  readonly account: string;

  constructor(account: string) {
    super('the signature counter went back');
    this.account = account;
  }
}

export class PasskeySignIn {
  readonly #options: PasskeySignInOptions;

  constructor(options: PasskeySignInOptions) {
    this.#options = options;
  }

  /** Each sign-in needs a challenge from here, so that the limit holds for attempts as well. */
  async begin(exchange: Exchange): Promise<PasskeyOptionsAnswer> {
    const { relyingParties, webAuthn, signInLimiter } = this.#options;
    const relyingParty = relyingParties.require(exchange.request);
    await signInLimiter.countAnonymous('passkey', exchange);
    return { ok: true, options: { ...(await webAuthn.requestOptions(relyingParty)) } };
  }

  /** @throws {ConsoleError} wrong_credentials */
  async finish(exchange: Exchange, sent: UsedPasskeyResponse): Promise<ConsoleSession> {
    const { relyingParties, sessionIssuer, signInLimiter, log } = this.#options;
    const relyingParty = relyingParties.require(exchange.request);
    const { account, passkey } = await this.#verify(relyingParty, sent).catch((error: unknown) => {
      if (!(error instanceof RefusedPasskey)) throw error;
      const line = { request_id: exchange.requestId, problem: error.message };
      // A line of its own, since equal lines are limited.
      if (error instanceof CopiedPasskey) log.warn({ ...line, account: error.account }, 'a passkey may have been copied');
      else log.warn(line, 'a sign-in with a passkey was refused');
      throw refusedPasskey();
    });
    await signInLimiter.takeBackAnonymous('passkey', exchange);
    return sessionIssuer.signIn(exchange, account, { passkey });
  }

  async #verify(relyingParty: RelyingParty, sent: UsedPasskeyResponse): Promise<{ account: string; passkey: string }> {
    const { store, webAuthn } = this.#options;
    const challenge = await webAuthn.requireChallenge(sent);
    const found = await store.passkeys.find(sent.id);
    if (found === null) throw new RefusedPasskey('no account has this passkey');
    const { account, passkey } = found;
    const counter = await webAuthn.used(relyingParty, challenge, sent, found);
    const outcome = await store.passkeys.use(account, passkey.id, counter);
    if (outcome === 'went_back') throw new CopiedPasskey(account);
    if (outcome === 'removed') throw new RefusedPasskey('the passkey was just removed');
    return { account, passkey: passkey.id };
  }
}

function refusedPasskey(): ConsoleError {
  return new ConsoleError(
    'wrong_credentials',
    'This passkey did not sign you in. It may have been removed from the account, or it took too long. Try again, or sign in another way.',
  );
}

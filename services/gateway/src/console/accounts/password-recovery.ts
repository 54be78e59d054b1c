/**
 * Sets the password of an account for whoever has opened a link of an e-mail to its address. If nobody had proven the address before, all that was made in
 * the account may be another person's, who signed up with an address that is not theirs: it ends. The address counts as verified only after that, so that
 * a recovery that breaks off in between is repeated as a first one.
 */
import { ConsoleError, type RecoveryAnswer } from '@perch/schema';
import { inDoubt, type Store } from '@perch/store';
import type { Exchange } from '../../http/exchange.js';
import type { AccountMails } from '../../mail/account-mails.js';
import type { SessionIssuer } from '../auth/session-issuer.js';
import type { PasswordChange } from './password-change.js';

export interface PasswordRecoveryOptions {
  store: Pick<Store, 'accounts' | 'passwords'>;
  passwordChange: PasswordChange;
  sessionIssuer: SessionIssuer;
  mails: Pick<AccountMails, 'recovered'>;
}

export interface Recovered {
  account: string;
  email: string;
  /** Hash of the password that the link was made for; null: none. A first recovery replaces whichever there is: its owner may be another person. */
  replaces: string | null;
  /** Hash of the new one. */
  hash: string;
}

export class PasswordRecovery {
  readonly #options: PasswordRecoveryOptions;

  constructor(options: PasswordRecoveryOptions) {
    this.#options = options;
  }

  /** One of concurrent calls with a link has taken its token. Signs in. @returns null, without a change, if the password changes at the same moment */
  async recover(exchange: Exchange, { account, email, replaces, hash }: Recovered): Promise<RecoveryAnswer | null> {
    const { store, passwordChange, sessionIssuer, mails } = this.#options;
    const [password, isProven] = await Promise.all([store.passwords.of(account), store.accounts.isProven(account)]);
    const isFirst = !isProven;
    const from = isFirst ? password : replaces;
    const reason = isFirst ? 'address_proven' : 'password_reset';
    const ended = await inDoubt(() => passwordChange.replace(exchange, { account, reason, keptSession: null, from, hash }));
    if (ended === null) return null;
    return inDoubt(async () => {
      await store.accounts.verify(account);
      mails.recovered({ to: email, isFirst, counts: ended.counts });
      const session = await sessionIssuer.signIn(exchange, account, { password: hash });
      // The account was removed meanwhile.
      if (!session.signed_in) throw new ConsoleError('signed_out', 'This account no longer exists.');
      const { passkey = 0, key = 0, grant = 0, webhook = 0, share_link: links = 0, guest: people = 0 } = ended.counts;
      return {
        ...session,
        recovered: { first: isFirst, ended: { passkeys: passkey, keys: key, clients: grant, webhooks: webhook, share_links: links, people } },
      };
    });
  }
}

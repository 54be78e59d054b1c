/** The e-mails of accounts. Links lead to the configured public URL, never to a Host that a request names, which could be another's. */
import type { Logger } from '@perch/runtime';
import type { Account, Store } from '@perch/store';
import { MailDelivery, type MailDeliveryOptions } from './mail-delivery.js';
import { smtpServerOf, type MailSettings } from './mail-settings.js';
import { passwordResetMail, recoveryMail, verificationMail, verifiedMail, type RecoveryMail } from './mail-texts.js';
import { SmtpSender, type Mail } from './smtp-sender.js';

export interface AccountMailsOptions {
  store: Pick<Store, 'accounts' | 'passwordResets' | 'emailVerifications'>;
  delivery: MailDelivery;
  publicUrl: string;
}

export const verificationLifeMs = 24 * 3_600_000;

export class AccountMails {
  readonly #store: AccountMailsOptions['store'];
  readonly #delivery: MailDelivery;
  readonly #baseUrl: string;

  constructor({ store, delivery, publicUrl }: AccountMailsOptions) {
    this.#store = store;
    this.#delivery = delivery;
    this.#baseUrl = publicUrl.replace(/\/+$/, '');
  }

  /** Sends a reset link in the background, if an account has the address; the caller must not learn whether one has. @param found called if so */
  resetPassword(email: string, found: (account: string) => void): void {
    this.#delivery.later('password_reset', async () => {
      const account = await this.#store.accounts.findByEmail(email);
      if (account === null) return null;
      found(account.id);
      const [token, isProven] = await Promise.all([this.#store.passwordResets.make(account.id), this.#store.accounts.isProven(account.id)]);
      return passwordResetMail({ to: account.email, baseUrl: this.#baseUrl, token, isProven });
    });
  }

  /** Sends a verification link in the background. */
  verifyLater(account: Pick<Account, 'id' | 'email'>): void {
    this.#delivery.later('verification', () => this.#verification(account));
  }

  /** Resolves when the verification link was sent. @throws {MailFailed} */
  verify(account: Pick<Account, 'id' | 'email'>): Promise<void> {
    return this.#delivery.now('verification', () => this.#verification(account));
  }

  /** Tells the owner in the background that a password was set by the link of an e-mail, and what ended. */
  recovered(recovery: Omit<RecoveryMail, 'baseUrl'>): void {
    this.#delivery.later('account_notice', () => Promise.resolve(recoveryMail({ ...recovery, baseUrl: this.#baseUrl })));
  }

  /** Tells the owner in the background that the address was verified, and that all that was made before stays. */
  verified({ email }: Pick<Account, 'email'>): void {
    this.#delivery.later('account_notice', () => Promise.resolve(verifiedMail({ to: email, baseUrl: this.#baseUrl })));
  }

  /** Waits for e-mails that are not sent yet, up to 5 s; for the stop of the gateway. */
  settle(signal: AbortSignal): Promise<void> {
    return this.#delivery.settle(signal);
  }

  async #verification({ id, email }: Pick<Account, 'id' | 'email'>): Promise<Mail> {
    const token = await this.#store.emailVerifications.make(id, verificationLifeMs);
    return verificationMail({ to: email, baseUrl: this.#baseUrl, token });
  }
}

export interface MailsOptions {
  store: AccountMailsOptions['store'];
  mail: MailSettings;
  publicUrl: string;
  counted: MailDeliveryOptions['counted'];
  log: Logger;
}

export function openMails({ store, mail, publicUrl, counted, log }: MailsOptions): AccountMails {
  const delivery = new MailDelivery({ sender: new SmtpSender(smtpServerOf(mail.smtpUrl), mail.from), counted, log });
  return new AccountMails({ store, delivery, publicUrl });
}

/** The e-mails of accounts. Links lead to the configured public URL, never to a Host that a request names, which could be another's. */
import type { Logger } from '@perch/runtime';
import type { Account, Store, InventoryKind } from '@perch/store';
import { MailDelivery, type MailDeliveryOptions, smtpServerOf, type MailSettings, SmtpSender, type Mail } from './mail-delivery.js';

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

/** The e-mails: each as plain text, and as HTML that loads nothing. */
interface LinkMail {
  to: string;
  /** Public base URL, without a trailing slash. */
  baseUrl: string;
  token: string;
}

/** The token is in the fragment of the URL, which browsers do not send to servers. */
export function passwordResetMail({ to, baseUrl, token, isProven }: LinkMail & { isProven: boolean }): Mail {
  return mailOf(to, {
    subject: 'Set a new password for Perch',
    before: `Somebody asked to set a new password at ${baseUrl} for the account ${to}. To choose one, open this link:`,
    link: `${baseUrl}/reset-password#reset=${token}`,
    button: 'Set a new password',
    after: [
      'The link works once, within an hour. Choosing a new password signs all browsers out, and disconnects clients.',
      ...(isProven ? [] : [`${unproven} To keep what you made yourself, sign in and verify the address first.`]),
      'If you did not ask for it, ignore this e-mail: your password stays as it is.',
    ],
  });
}

export function verificationMail({ to, baseUrl, token }: LinkMail): Mail {
  return mailOf(to, {
    subject: 'Verify your e-mail address for Perch',
    before: `At ${baseUrl} there is an account with your e-mail address ${to}. To confirm that the address is yours, open this link:`,
    link: `${baseUrl}/verify-email#verify=${token}`,
    button: 'Verify address',
    after: [
      'The link works once, within a day. Open it in the browser in which you created the account.',
      'If you did not create the account, ignore this e-mail; or open the link and set a password, which makes the account yours alone.',
    ],
  });
}

const unproven =
  'Because nobody has shown yet that the address is theirs, this also ends everything that was made in the account: passkeys, API keys, webhooks, share links and the access of other people.';

interface RecoveryMail {
  to: string;
  baseUrl: string;
  /** Nobody had proven the address before. */
  isFirst: boolean;
  /** The parts that ended. */
  counts: Partial<Record<InventoryKind, number>>;
}

export function recoveryMail({ to, baseUrl, isFirst, counts }: RecoveryMail): Mail {
  const ended = listOf(counts);
  const others = ended === '' ? '' : ` These ended, too: ${ended}.`;
  return mailOf(to, {
    subject: 'A new password was set for your Perch account',
    before: isFirst
      ? `A link in an e-mail to you set a new password for the account ${to} at ${baseUrl}, and verified the address. All browsers were signed out.${others} Robots stay in the account: remove those that you do not know.`
      : `A link in an e-mail to you set a new password for the account ${to} at ${baseUrl}. All browsers were signed out.${others} Passkeys and API keys still work: look whether all of them are yours.`,
    link: `${baseUrl}${isFirst ? '/robots' : '/access'}`,
    button: isFirst ? 'Look at the robots' : 'Look at passkeys and keys',
    after: [notYou],
  });
}

export function verifiedMail({ to, baseUrl }: Pick<LinkMail, 'to' | 'baseUrl'>): Mail {
  return mailOf(to, {
    subject: 'Your e-mail address is verified for Perch',
    before: `The e-mail address ${to} of your account at ${baseUrl} is verified. Everything that was made in the account before stays: look whether all passkeys and API keys are yours.`,
    link: `${baseUrl}/access`,
    button: 'Look at passkeys and keys',
    after: [notYou],
  });
}

const notYou =
  'If you did not do this, somebody else reads your e-mails. Secure your mailbox first, then ask for a new password at the sign-in page.';

const named: readonly (readonly [InventoryKind, one: string, many: string])[] = [
  ['passkey', 'passkey', 'passkeys'],
  ['key', 'API key', 'API keys'],
  ['grant', 'connected client', 'connected clients'],
  ['webhook', 'webhook', 'webhooks'],
  ['share_link', 'share link', 'share links'],
  ['guest', 'person with whom a robot was shared', 'people with whom robots were shared'],
];

/** Returns such as `1 passkey, 2 API keys and 1 webhook`; '' if nothing of these. */
function listOf(counts: RecoveryMail['counts']): string {
  const parts = named.flatMap(([kind, one, many]) => (counts[kind] ? [`${counts[kind]} ${counts[kind] === 1 ? one : many}`] : []));
  return new Intl.ListFormat('en-GB').format(parts);
}

interface Content {
  subject: string;
  before: string;
  link: string;
  button: string;
  after: string[];
}

function mailOf(to: string, { subject, before, link, button, after }: Content): Mail {
  const paragraph = (inner: string): string => `<p style="margin:0 0 16px">${inner}</p>`;
  const html = [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head>`,
    '<body style="margin:0;padding:24px;font-family:sans-serif;font-size:16px;line-height:1.5">',
    paragraph(escaped(before)),
    paragraph(`<a href="${escaped(link)}">${escaped(button)}</a>`),
    paragraph(`If that does not open, copy this address into your browser:<br>${escaped(link)}`),
    ...after.map((text) => paragraph(escaped(text))),
    '</body></html>',
  ];
  return { to, subject, text: `${[before, link, ...after].join('\n\n')}\n`, html: `${html.join('\n')}\n` };
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char]!);
}

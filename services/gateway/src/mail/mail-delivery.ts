/**
 * Sends e-mails, a few at a time. What waits is kept in memory only: a process that dies loses it, and people ask for another. Logs name the kind of
 * e-mail and a code, since texts of SMTP servers repeat addresses.
 */
import { withinMs, type Logger, type MailKind, type MailOutcome } from '@perch/runtime';
import pLimit from 'p-limit';
import type { SmtpSender, Mail } from './smtp-sender.js';

export interface MailDeliveryOptions {
  sender: Pick<SmtpSender, 'send'>;
  counted: (kind: MailKind, outcome: MailOutcome) => void;
  log: Logger;
  /** For one e-mail, from its connection to its acceptance. Default: 20,000. */
  deadlineMs?: number;
  /** E-mails that are being composed, waiting and being sent. Default: 200. */
  pendingMax?: number;
}

const sentAtOnce = 4;
const settledMs = 5000;

/** The e-mail was not sent, or the server did not confirm it. The cause is in the log. */
export class MailFailed extends Error {
  override readonly name = 'MailFailed';
}

export class MailDelivery {
  readonly #options: Required<MailDeliveryOptions>;
  readonly #limit = pLimit(sentAtOnce);
  readonly #pending = new Set<Promise<void>>();

  constructor(options: MailDeliveryOptions) {
    this.#options = { deadlineMs: 20_000, pendingMax: 200, ...options };
  }

  /** Composes and sends in the background; a failure is logged and counted. @param compose returns null if nothing is to be sent */
  later(kind: MailKind, compose: () => Promise<Mail | null>): void {
    void this.now(kind, compose).catch(() => {});
  }

  /** As `later`, and resolves when the server has accepted the e-mail. @throws {MailFailed} */
  async now(kind: MailKind, compose: () => Promise<Mail | null>): Promise<void> {
    const { counted, log, pendingMax } = this.#options;
    if (this.#pending.size >= pendingMax) {
      counted(kind, 'dropped');
      log.warn({ mail: kind }, 'an e-mail was dropped: too many wait to be sent');
      throw new MailFailed('too many e-mails wait to be sent');
    }
    const work = this.#deliver(kind, compose);
    this.#pending.add(work);
    try {
      await work;
    } finally {
      this.#pending.delete(work);
    }
  }

  /** Waits for pending e-mails, up to 5 s; for the stop of the gateway. */
  async settle(signal: AbortSignal): Promise<void> {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(settledMs)]);
    const aborted = new Promise<void>((resolve) => {
      if (ended.aborted) resolve();
      ended.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([Promise.allSettled(this.#pending), aborted]);
  }

  async #deliver(kind: MailKind, compose: () => Promise<Mail | null>): Promise<void> {
    const { sender, counted, log, deadlineMs } = this.#options;
    try {
      const mail = await compose();
      if (mail === null) return;
      await this.#limit(() => withinMs(sender.send(mail), deadlineMs, tooLate));
    } catch (error) {
      counted(kind, 'failed');
      log.warn({ mail: kind, ...reasonOf(error) }, 'an e-mail could not be sent');
      throw new MailFailed('the e-mail was not sent');
    }
    counted(kind, 'sent');
  }
}

function tooLate(): never {
  throw Object.assign(new Error('the deadline passed'), { code: 'DEADLINE' });
}

/** Returns no message, which may contain an address. */
function reasonOf(error: unknown): object {
  if (!(error instanceof Error)) return {};
  const { code, responseCode } = error as Error & { code?: unknown; responseCode?: unknown };
  return {
    reason: typeof code === 'string' ? code : error.name,
    ...(typeof responseCode === 'number' ? { response_code: responseCode } : {}),
  };
}

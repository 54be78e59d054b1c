/** Errors of the store. Callers answer 503 to both kinds. Each method that reaches Redis may throw `unavailable`. */
import { ApiError, ConsoleError } from '@perch/schema';
import { isRefusedInsideScript, refusalOf, type RefusalReason } from './refused.js';

export type StoreErrorKind =
  /** Redis did not answer, or cannot serve (loading, no quorum, disk full). The operation may or may not have been executed. */
  | 'unavailable'
  /** A limit was reached; nothing was written. */
  | 'full';

export type Fate =
  /** It was never sent, or Redis refused it. */
  | 'not_done'
  /** The connection closed before the reply. Redis may have executed it, or may still: a paused process executes what it received when it resumes. */
  | 'unknown'
  /** No reply within the time-out; Redis may still execute the command. */
  | 'late';

export class StoreError extends Error {
  readonly kind: StoreErrorKind;
  readonly fate: Fate;
  /** Why Redis refused a command; null: it did not answer, or refused nothing. */
  readonly refusal: RefusalReason | null;

  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.kind = kind;
    this.fate = options?.cause instanceof Error ? fateOf(options.cause) : 'not_done';
    this.refusal = refusalBehind(options?.cause);
  }

  get outOfMemory(): boolean {
    return this.refusal === 'OOM';
  }

  /** A sentence for callers of the API. */
  get storageProblem(): string {
    return this.refusal === null ? 'The service cannot reach its storage.' : "The service's storage refuses the call.";
  }
}

/** Finds the refusal also among the errors of the commands of a transaction that Redis discarded. */
function refusalBehind(cause: unknown): RefusalReason | null {
  if (cause instanceof StoreError) return cause.refusal;
  if (!(cause instanceof Error) || cause.name !== 'ReplyError') return null;
  const { previousErrors = [] } = cause as Error & { previousErrors?: Error[] };
  return refusalOf(cause) ?? previousErrors.map(refusalOf).find((reason) => reason !== null) ?? null;
}

function fateOf(error: Error): Fate {
  const { name, message } = error;
  if (name === 'ReplyError' && (isRefusedInsideScript(error) || withoutMulti.test(message))) return 'unknown';
  if (name === 'ReplyError' || neverSent.test(message)) return 'not_done';
  return message === timedOut ? 'late' : 'unknown';
}

/** Made in full, in part, or not at all: the caller should check before retrying. */
export class UncertainWrite extends StoreError {
  override readonly fate: Fate = 'unknown';

  constructor(message: string, options?: ErrorOptions) {
    super('unavailable', message, options);
  }
}

/** It was undone, so that nothing is left of it. */
export class TakenBack extends StoreError {
  override readonly fate: Fate = 'not_done';

  constructor(cause: UncertainWrite) {
    super('unavailable', `Taken back: ${cause.message}`, { cause });
  }
}

/** Runs work that must not be repeated blindly, or follows such work: a StoreError becomes an UncertainWrite. */
export async function inDoubt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = asStoreError(error);
    if (!(known instanceof StoreError) || known instanceof UncertainWrite || known.kind !== 'unavailable') throw known;
    throw new UncertainWrite(known.message, { cause: known });
  }
}

const neverSent = /enableOfflineQueue options is false|None of startup nodes is available/;
const timedOut = 'Command timed out';

/** Returns what ioredis means; other texts as they are. */
export function plainly(message: string): string {
  if (neverSent.test(message)) return 'there is no connection';
  if (message === timedOut) return 'no reply in time';
  return message;
}

/** Whether ioredis reports that it did not get an answer, without a code of the operating system. */
export function isUnanswered({ message }: Error): boolean {
  return message === timedOut || neverSent.test(message) || message.startsWith('Connection is closed');
}

/**
 * Redis cannot serve now, as opposed to a wrong command of ours. NOSCRIPT: its scripts were flushed twice in a row, so that ioredis, which sends a
 * script again in full, did so in vain. EXECABORT: it refused a command of a transaction, and has done none of it.
 */
const unserved = /^(?:NOSCRIPT|TRYAGAIN|MOVED|ASK|EXECABORT)\b/;
/** It refused MULTI, and ran the commands of the transaction one by one. */
const withoutMulti = /^ERR EXEC without MULTI/;

/** Leaves as they are the error of a wrong command or a failing script, and errors that already say what to answer. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof StoreError || error instanceof ApiError || error instanceof ConsoleError || !(error instanceof Error)) return error;
  if (error.name === 'ReplyError' && refusalOf(error) === null && !unserved.test(error.message) && !withoutMulti.test(error.message)) return error;
  return new StoreError('unavailable', `Redis: ${plainly(error.message)}`, { cause: error });
}

export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asStoreError(error);
  }
}

/** What the store says when Redis cannot serve: callers answer 503 to both kinds. */

export type StoreErrorKind =
  /** Redis did not answer, or refuses to work (loading, no quorum, disk full). The operation may or may not have happened. */
  | 'unavailable'
  /** A bound was reached; nothing was written. */
  | 'full';

/** What became of what Redis was asked. */
export type Fate =
  /** It never left, or Redis refused it. */
  | 'not_done'
  /** The connection went before the answer came. What Redis had of it is done, or will be: one that was stopped goes on where it was. */
  | 'unknown'
  /** Redis is late and still has it; the answer may come. */
  | 'late';

export class StoreError extends Error {
  readonly kind: StoreErrorKind;
  readonly fate: Fate;
  /** Redis has reached its memory limit and refuses what takes room; deleting works. */
  readonly outOfMemory: boolean;

  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.kind = kind;
    this.fate = options?.cause instanceof Error ? fateOf(options.cause) : 'not_done';
    this.outOfMemory = isOutOfMemory(options?.cause);
  }
}

/** Redis names it first, or after the script's name. */
function isOutOfMemory(cause: unknown): boolean {
  if (cause instanceof StoreError) return cause.outOfMemory;
  return cause instanceof Error && cause.name === 'ReplyError' && /\bOOM command not allowed/.test(cause.message);
}

function fateOf({ name, message }: Error): Fate {
  if (name === 'ReplyError' || neverSent.test(message)) return 'not_done';
  // After `commandTimeout`.
  return message === 'Command timed out' ? 'late' : 'unknown';
}

/** A write that was to be on disk before it is answered: it may be done, or a part of it, or nothing. Whoever asked should look before asking again. */
export class UncertainWrite extends StoreError {
  override readonly fate: Fate = 'unknown';

  constructor(message: string, options?: ErrorOptions) {
    super('unavailable', message, options);
  }
}

/** For what is not to be done twice, and for what follows upon it: storage that fails in it is an UncertainWrite. */
export async function inDoubt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = asStoreError(error);
    if (!(known instanceof StoreError) || known instanceof UncertainWrite || known.kind !== 'unavailable') throw known;
    throw new UncertainWrite(known.message, { cause: known });
  }
}

/** What ioredis says of a command that it did not write. */
const neverSent = /enableOfflineQueue options is false|None of startup nodes is available/;

/** Replies with which a running Redis says that it cannot serve now, as opposed to a wrong command of ours. */
const refusals = /^(LOADING|MISCONF|OOM|CLUSTERDOWN|READONLY|TRYAGAIN|MASTERDOWN|NOREPLICAS|BUSY|UNKILLABLE|MOVED|ASK)\b/;

/** Turns what ioredis throws into a StoreError; a wrong command or a failing script of ours stays what it is. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  if (error.name === 'ReplyError' && !refusals.test(error.message)) return error;
  return new StoreError('unavailable', `Redis: ${error.message}`, { cause: error });
}

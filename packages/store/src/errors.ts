/** What the store says when Redis cannot serve: callers answer 503 to both kinds. */

export type StoreErrorKind =
  /** Redis did not answer, or refuses to work (loading, no quorum, disk full). The operation may or may not have happened. */
  | 'unavailable'
  /** A bound was reached; nothing was written. */
  | 'full';

export class StoreError extends Error {
  readonly kind: StoreErrorKind;
  /** Redis is late and still has what it was asked: it may do it later. Where the connection was lost it has done it by now or never will. */
  readonly mayFollow: boolean;

  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.kind = kind;
    this.mayFollow = (options?.cause as Error | undefined)?.message === timedOut;
  }
}

/** What ioredis says after `commandTimeout`. */
const timedOut = 'Command timed out';

/** Replies with which a running Redis says that it cannot serve now, as opposed to a wrong command of ours. */
const refusals = /^(LOADING|MISCONF|OOM|CLUSTERDOWN|READONLY|TRYAGAIN|MASTERDOWN|NOREPLICAS|BUSY|UNKILLABLE|MOVED|ASK)\b/;

/** Turns what ioredis throws into a StoreError; a wrong command or a failing script of ours stays what it is. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  if (error.name === 'ReplyError' && !refusals.test(error.message)) return error;
  return new StoreError('unavailable', `Redis: ${error.message}`, { cause: error });
}

/**
 * Why a Redis server refuses a command, from the text of its error. Texts: server.c (shared objects), script.c, replication.c and networking.c of Redis
 * 7.0 and 8.0 and Valkey 8.1.
 */

export const refusalReasons = ['READONLY', 'MISCONF', 'OOM', 'NOPERM', 'NOREPLICAS', 'BUSY', 'maxclients', 'other'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** Redis puts the code first; of an error inside a script, Redis before 7 puts it behind the name of the script. */
const code = /(?:^|: -)(READONLY|MISCONF|OOM|NOPERM|NOREPLICAS|BUSY)\b/;
const others = /^(?:LOADING|CLUSTERDOWN|MASTERDOWN|UNKILLABLE|UNBLOCKED|NOAUTH|WRONGPASS)\b/;
/** Of a command inside a script: what stood before it in the script is done. */
const notPermittedInScript = /The user executing the script can't|ACL failure in script/;
const tooManyClients = /max number of clients/;
/** WAIT and WAITAOF on a replica, which the other texts do not cover. */
const onReplica = /^(?:READONLY|MASTERDOWN|UNBLOCKED)\b|: -READONLY\b|cannot be used with replica instances/;

/** Null: an error of the command, or part of the protocol, as MOVED and NOSCRIPT are. */
export function refusalOf({ message }: Error): RefusalReason | null {
  const known = code.exec(message)?.[1] as RefusalReason | undefined;
  if (known !== undefined) return known;
  if (notPermittedInScript.test(message)) return 'NOPERM';
  if (tooManyClients.test(message)) return 'maxclients';
  return others.test(message) || onReplica.test(message) ? 'other' : null;
}

/** Longer than the usual interval between scrapes. */
const refusedForMs = 60_000;

/** The latest refusals of Redis, by the reason. */
export class Refusals {
  /** performance.now() */
  readonly #at = new Map<RefusalReason, number>();

  /** @returns whether the error is a refusal */
  note(error: Error): boolean {
    const reason = refusalOf(error);
    if (reason !== null) this.#at.set(reason, performance.now());
    return reason !== null;
  }

  /** Returns for each reason whether Redis refused something for it in the last minute. */
  list(): (readonly [RefusalReason, boolean])[] {
    const since = performance.now() - refusedForMs;
    return refusalReasons.map((reason) => [reason, (this.#at.get(reason) ?? -Infinity) > since] as const);
  }
}

/** Whether the server that refused is no master, so that another one may be behind the same address. */
export function isNoMaster({ message }: Error): boolean {
  return onReplica.test(message);
}

export function isRefusedInsideScript({ message }: Error): boolean {
  return notPermittedInScript.test(message);
}

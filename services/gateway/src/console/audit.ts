/** Audit lines of the web page: who signed in, and who changed keys and robots. Ids and networks only; no address, name or secret. */
import type { ClientAddresses, Logger } from '@perch/runtime';
import { ApiError, ConsoleError } from '@perch/schema';
import type { Exchange } from '../http/exchange.js';
import type { Asked } from './route.js';

export type AuditKind =
  | 'sign_in'
  | 'oidc_sign_in'
  | 'sign_up'
  | 'sign_out'
  | 'password_change'
  | 'key_create'
  | 'key_revoke'
  | 'robot_add'
  | 'pairing_approve'
  | 'robot_remove'
  | 'robot_token_renew';

export interface AuditFields {
  account?: string | null | undefined;
  robot?: string | undefined;
  key_id?: string | undefined;
  /** Of `pairing_approve`: whether the robot was the account's before, whose former token ends. */
  replaced?: boolean | undefined;
}

export class AuditLog {
  readonly #log: Logger;
  readonly #addresses: ClientAddresses;
  readonly #onSignInRefused: (outcome: string) => void;

  /** @param onSignInRefused called with the outcome of each attempt to sign in that was refused */
  constructor(log: Logger, addresses: ClientAddresses, onSignInRefused: (outcome: string) => void = () => {}) {
    this.#log = log;
    this.#addresses = addresses;
    this.#onSignInRefused = onSignInRefused;
  }

  /**
   * Logs one line. Refused calls are logged as warnings with a message of their kind and code, so that the logger's limit on equal warnings bounds the
   * lines that a flood of refused calls writes; calls that succeed are always logged.
   * @param outcome `ok`, or the code of the refusal
   */
  record(kind: AuditKind, outcome: string, exchange: Pick<Exchange, 'request' | 'requestId'>, { account = null, ...fields }: AuditFields): void {
    const line = {
      audit: kind,
      outcome,
      account,
      ...fields,
      network: this.#addresses.networkOf(exchange.request),
      request_id: exchange.requestId,
    };
    if (outcome !== 'ok' && (kind === 'sign_in' || kind === 'oidc_sign_in')) this.#onSignInRefused(outcome);
    if (outcome === 'ok') this.#log.info(line, 'audit');
    else this.#log.warn(line, `audit: ${kind} refused: ${outcome}`);
  }

  /**
   * Logs the line of a route's call.
   * @param account account of the session; null where the call needs none
   * @param result the answer, or what was thrown
   */
  call(kind: AuditKind, { exchange, params, noted }: Asked, account: string | null, result: unknown): void {
    const answer = (result instanceof Error ? {} : (result ?? {})) as Record<string, { id?: string } | undefined>;
    this.record(noted.kind ?? kind, result instanceof Error ? codeOf(result) : 'ok', exchange, {
      account: account ?? answer['account']?.id ?? null,
      robot: params['robot'] ?? answer['robot']?.id,
      key_id: params['key'] ?? answer['key']?.id,
      replaced: noted.replaced,
    });
  }
}

function codeOf(error: Error): string {
  return error instanceof ApiError || error instanceof ConsoleError ? error.code : 'internal';
}

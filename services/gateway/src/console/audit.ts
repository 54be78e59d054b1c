/** Audit log of the web page: sign-ins and changes of keys and robots. Records ids and networks only: no e-mail address, name or secret. */
import type { ClientAddresses, Logger } from '@perch/runtime';
import { ApiError, ConsoleError } from '@perch/schema';
import type { Exchange } from '../http/exchange.js';
import type { ConsoleRequest } from './route.js';

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
  /** For `pairing_approve`: whether the account owned the robot already, so that its former token was revoked. */
  replaced?: boolean | undefined;
}

export class AuditLog {
  readonly #log: Logger;
  readonly #addresses: ClientAddresses;
  readonly #onSignInRefused: (outcome: string) => void;

  /** @param onSignInRefused called with the outcome of each refused sign-in */
  constructor(log: Logger, addresses: ClientAddresses, onSignInRefused: (outcome: string) => void = () => {}) {
    this.#log = log;
    this.#addresses = addresses;
    this.#onSignInRefused = onSignInRefused;
  }

  /**
   * Logs one line. A refused request is logged as a warning whose message contains its kind and code, so that the logger's limit on equal warnings
   * bounds a flood of refused requests. Requests that succeed are always logged.
   * @param outcome `ok` or an error code
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
   * Logs a request to a route.
   * @param account account of the session; null for a route without session
   * @param result the response, or the error that the handler threw
   */
  recordRequest(kind: AuditKind, { exchange, params, auditNote }: ConsoleRequest, account: string | null, result: unknown): void {
    const answer = (result instanceof Error ? {} : (result ?? {})) as Record<string, { id?: string } | undefined>;
    this.record(auditNote.kind ?? kind, result instanceof Error ? codeOf(result) : 'ok', exchange, {
      account: account ?? answer['account']?.id ?? null,
      robot: params['robot'] ?? answer['robot']?.id,
      key_id: params['key'] ?? answer['key']?.id,
      replaced: auditNote.replaced,
    });
  }
}

function codeOf(error: Error): string {
  return error instanceof ApiError || error instanceof ConsoleError ? error.code : 'internal';
}

/** Sign-ins and changes of keys and robots, in the service's log and the account's activity: ids and networks, no address, name or secret. */
import type { ClientAddresses, Logger } from '@perch/runtime';
import { ApiError, ConsoleError } from '@perch/schema';
import type { ActivityLog } from '../activity/activity-log.js';
import type { Exchange } from '../http/exchange.js';

export type AuditKind =
  | 'sign_in'
  | 'oidc_sign_in'
  | 'passkey_sign_in'
  | 'sign_up'
  | 'sign_out'
  | 'session_end'
  | 'password_change'
  | 'password_reset_request'
  | 'password_reset'
  | 'verification_send'
  | 'email_verify'
  | 'account_export'
  | 'account_remove'
  | 'passkey_add'
  | 'passkey_change'
  | 'passkey_remove'
  | 'key_create'
  | 'key_secret_roll'
  | 'key_overlap_end'
  | 'key_revoke'
  | 'client_connect'
  | 'client_disconnect'
  | 'robot_add'
  | 'pairing_approve'
  | 'robot_change'
  | 'robot_remove'
  | 'robot_token_renew'
  | 'robot_update'
  | 'share_link_create'
  | 'share_link_remove'
  | 'share_accept'
  | 'share_change'
  | 'share_remove'
  | 'share_leave';

const signIns: readonly AuditKind[] = ['sign_in', 'oidc_sign_in', 'passkey_sign_in'];

export interface AuditFields {
  account?: string | null | undefined;
  robot?: string | undefined;
  key_id?: string | undefined;
  passkey?: string | undefined;
  /** For `pairing_approve`: whether the account owned the robot already, so that its former token was revoked. */
  replaced?: boolean | undefined;
  /** E-mail address of a person with whom the robot is shared; stored in the activity, never logged. */
  guest?: string | undefined;
}

export interface AuditNote {
  kind?: AuditKind;
  replaced?: boolean;
  /** For a change that someone else's request makes to an account, whose activity has the entry, and for a route without session. */
  account?: string;
  robot?: string;
  guest?: string;
}

interface AuditedRequest {
  exchange: Pick<Exchange, 'request' | 'requestId'>;
  params: Readonly<Record<string, string>>;
  auditNote: AuditNote;
}

export class AuditLog {
  readonly #log: Logger;
  readonly #addresses: ClientAddresses;
  readonly #activity: Pick<ActivityLog, 'changed'>;
  readonly #onSignInRefused: (outcome: string) => void;

  constructor(
    log: Logger,
    addresses: ClientAddresses,
    activity: Pick<ActivityLog, 'changed'>,
    onSignInRefused: (outcome: string) => void = () => {},
  ) {
    this.#activity = activity;
    this.#log = log;
    this.#addresses = addresses;
    this.#onSignInRefused = onSignInRefused;
  }

  /** Always logs success. A refusal is a warning with kind and code in its message, so that the limit on equal warnings bounds a flood. */
  record(
    kind: AuditKind,
    outcome: string,
    exchange: Pick<Exchange, 'request' | 'requestId'>,
    { account = null, guest, ...fields }: AuditFields,
  ): void {
    const network = this.#addresses.networkOf(exchange.request);
    const line = {
      audit: kind,
      outcome,
      account,
      ...fields,
      network,
      request_id: exchange.requestId,
    };
    if (outcome !== 'ok' && signIns.includes(kind)) this.#onSignInRefused(outcome);
    if (account !== null) {
      const { robot, key_id: subject } = fields;
      this.#activity.changed(account, { via: 'page', action: kind, outcome, robot, subject, network, guest });
    }
    if (outcome === 'ok') this.#log.info(line, 'audit');
    else this.#log.warn(line, `audit: ${kind} refused: ${outcome}`);
  }

  /** Adds a change to the activity of an account alone: the line of its request in the log must not tell whether there is such an account. */
  noteChange(account: string, kind: AuditKind, network: string): void {
    this.#activity.changed(account, { via: 'page', action: kind, outcome: 'ok', network });
  }

  /** @param account null for a route without session @param result the response, or the error that the handler threw */
  recordRequest(kind: AuditKind, { exchange, params, auditNote }: AuditedRequest, account: string | null, result: unknown): void {
    const answer = (result instanceof Error ? {} : (result ?? {})) as Record<string, { id?: string } | undefined>;
    const passkey = params['passkey'] ?? answer['passkey']?.id;
    this.record(auditNote.kind ?? kind, result instanceof Error ? codeOf(result) : 'ok', exchange, {
      account: auditNote.account ?? account ?? answer['account']?.id ?? null,
      robot: auditNote.robot ?? params['robot'] ?? answer['robot']?.id,
      key_id: params['key'] ?? answer['key']?.id,
      ...(passkey !== undefined && { passkey }),
      replaced: auditNote.replaced,
      guest: auditNote.guest,
    });
  }
}

function codeOf(error: Error): string {
  return error instanceof ApiError || error instanceof ConsoleError ? error.code : 'internal';
}

/** Audit lines of the web page: who signed in, and who changed keys and robots. Ids and networks only; no address, name or secret. */
import type { ClientAddresses, Logger } from '@perch/runtime';
import { ApiError, ConsoleError } from '@perch/schema';
import type { Asked } from './route.js';

export type AuditKind =
  | 'sign_in'
  | 'sign_up'
  | 'sign_out'
  | 'password_change'
  | 'key_create'
  | 'key_revoke'
  | 'robot_add'
  | 'robot_remove'
  | 'robot_token_renew';

/** Refusals that cost a caller none of its limited attempts: a line for each would let anyone fill the log. They are counted by metric. */
const unlimited: ReadonlySet<string> = new Set(['bad_argument', 'malformed_json', 'not_json', 'body_too_large', 'too_many_attempts', 'too_busy']);

/**
 * Logs one line at level info per call: kind, outcome (`ok` or the error's code), account, robot, key and client network.
 * @param account of the session; null where the caller is not signed in, whose refused calls are logged up to the limits on attempts only
 */
export function audit(
  log: Logger,
  addresses: ClientAddresses,
  kind: AuditKind,
  { exchange, params }: Asked,
  account: string | null,
  result: unknown,
): void {
  const { account: signedIn, robot, key } = (result instanceof Error ? {} : (result ?? {})) as Record<string, { id?: string } | undefined>;
  const outcome = result instanceof ApiError || result instanceof ConsoleError ? result.code : result instanceof Error ? 'internal' : 'ok';
  if (account === null && unlimited.has(outcome)) return;
  log.info(
    {
      audit: kind,
      outcome,
      account: account ?? signedIn?.id ?? null,
      robot: params['robot'] ?? robot?.id,
      key_id: params['key'] ?? key?.id,
      network: addresses.networkOf(exchange.request),
      request_id: exchange.requestId,
    },
    'audit',
  );
}

/** Answers after which a call can be repeated: nothing was done, and nothing is stored under its Idempotency-Key. */
import type { Ending } from '../history/records.js';

export const neverSent: ReadonlySet<string> = new Set([
  'bad_argument',
  'malformed_json',
  'unauthorized',
  'unknown_robot',
  'rate_limited',
  'robot_offline',
  'not_offered',
  'render_failed',
  'speech_failed',
]);

const notBegun: ReadonlySet<string> = new Set(['robot_busy', 'busy', 'service_unavailable', 'draining', 'storage_full']);

export function didNothing(answer: Extract<Ending, { how: 'answered' }>): boolean {
  const code = String(answer.body['code']);
  return answer.status !== 200 && (neverSent.has(code) || notBegun.has(code));
}

/** Answers after which a call can be made again: nothing was done, and nothing is kept under its Idempotency-Key. */
import type { Ending } from '../history/records.js';

/** Answered so, no command left for the robot. */
export const neverSent: ReadonlySet<string> = new Set([
  'bad_argument',
  'malformed_json',
  'unauthorized',
  'unknown_robot',
  'rate_limited',
  'robot_offline',
  'not_offered',
  'render_failed',
]);

/** The robot was told nothing, or did not begin. */
const notBegun: ReadonlySet<string> = new Set(['robot_busy', 'busy', 'service_unavailable', 'draining', 'storage_full']);

export function didNothing(answer: Extract<Ending, { how: 'answered' }>): boolean {
  const code = String(answer.body['code']);
  return answer.status !== 200 && (neverSent.has(code) || notBegun.has(code));
}

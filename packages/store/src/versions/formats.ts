/**
 * All formats that instances write for each other, in messages, in Redis and in jobs: `reads` lists the versions that this release reads, `writes`
 * the one it writes. The comment at each names the file that owns it.
 *
 * JSON has its version in the field `v`; without it, 1. Hashes, sets and streams belong to the data version (data-version.ts), so only fields that
 * older releases may ignore are added. test/golden has the bytes of every released form, and a test that fails when one changes without a new
 * version.
 */
export interface Format {
  reads: readonly number[];
  writes: number;
}

const first: Format = { reads: [1], writes: 1 };

export const formats = {
  /** messaging.ts, packed/packed-messages.ts; written in the newest version that the receiver reads. */
  message: { reads: [1, 2], writes: 2 },
  /** wire-versions.ts */
  announcement: first,
  /** account-rates.ts */
  account_actions: first,

  /** JSON with `v`. waits.ts */
  wait_record: first,
  wait_armed: first,
  wait_outcome: first,
  /** calls.ts */
  call_reply: first,
  call_outcome: first,
  /** robots.ts */
  robot_hello: first,
  /** leases.ts */
  robot_saved: first,
  robot_playing: first,
  /** shown-cards.ts */
  robot_card: first,
  /** countdowns.ts */
  robot_countdown: first,
  /** media.ts */
  media: first,
  /** webhooks.ts */
  webhook: first,
  /** deliveries.ts */
  delivery: first,
  /** jobs.ts */
  render_job: first,
  /** webhook-jobs.ts */
  notice_job: first,
  delivery_job: first,

  /** Hashes and other structures under the data version. accounts.ts */
  account: first,
  /** api-keys.ts, sessions.ts */
  api_key: first,
  session: first,
  /** robots.ts */
  robot: first,
  /** robot-labels.ts */
  robot_labels: first,
  /** leases.ts */
  lease: first,
  /** events.ts */
  events: first,
  /** robot-lines.ts */
  lines: first,
  /** waits.ts, calls.ts: the fields around the JSON. */
  wait: first,
  call: first,
  /** activity-chunk.ts, activity.ts: the JSON of a chunk has no version, and fields are added only. */
  activity: first,
  /** one-time-tokens.ts, pairing.ts */
  once: first,
  pairing: first,
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;

import { cardCountdownFits, isObject, renderJobFits, toGatewayProblem, waitRecordFits } from '@perch/schema';

/**
 * All formats that instances write for each other, in messages, in Redis and in jobs. The comment at each names the file that owns it. JSON has its
 * version in `v`; without it, 1. Hashes, sets and streams belong to the data version (data-version.ts), so only fields that older releases may ignore
 * are added. test/golden has the bytes of every released form; a test fails when one changes without a new version.
 */
export interface Format {
  reads: readonly number[];
  writes: number;
}

const first: Format = { reads: [1], writes: 1 };

export const formats = {
  message: { reads: [1, 2], writes: 2 }, // messaging.ts, packed-messages.ts: written in the newest version that the receiver reads
  announcement: first, // wire-versions.ts
  account_actions: first, // account-rates.ts

  // JSON with `v`.
  wait_record: first, // waits.ts
  wait_armed: first,
  wait_outcome: first,
  wait_detached: first,
  queue_entry: first, // queue.ts
  call_reply: first, // calls.ts
  call_outcome: first,
  robot_hello: first, // robots.ts
  robot_saved: first, // leases.ts
  robot_playing: first,
  robot_card: first, // screen-pictures.ts
  robot_countdown: first, // countdowns.ts
  robot_screen: first, // screen-history.ts
  media: first, // media.ts
  webhook: first, // webhooks.ts
  delivery: first, // deliveries.ts
  render_job: first, // render-jobs.ts
  notice_job: first, // webhook-jobs.ts
  delivery_job: first,

  // Hashes and other structures under the data version.
  account: first, // accounts.ts
  api_key: first, // api-keys.ts, sessions.ts
  session: first,
  passkey: first, // passkeys.ts
  robot: first, // robots.ts
  robot_labels: first, // robot-labels.ts
  guests: first, // guests.ts
  lease: first, // leases.ts
  events: first, // events.ts
  lines: first, // robot-record.ts
  wait: first, // waits.ts, calls.ts: the fields around the JSON
  /** 2: the bytes of a robot's calls are counted by the minute. */
  call: { reads: [2], writes: 2 },
  /** activity.ts: the JSON of a chunk has no version, and fields are added only. */
  activity: first,
  grant: first, // grants.ts
  oauth_client: first, // oauth-clients.ts
  once: first, // one-time-tokens.ts, pairing.ts
  pairing: first,
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;

/** Checks values that could do harm if misread: they reach a robot or a renderer. */
const shapes: Partial<Record<FormatName, (value: object) => boolean>> = {
  wait_record: waitRecordFits,
  call_reply: (value) => toGatewayProblem(value) === null,
  render_job: renderJobFits,
  robot_countdown: cardCountdownFits,
};

/** Parses JSON that an instance of another release may have written. Unreadable values are counted, reported, and treated as missing as a whole. */
export class Forms {
  /** By format, since this instance started. */
  readonly unreadable = new Map<FormatName, number>();
  readonly #onError: (error: Error) => void;

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  /** Null when this release cannot read it. Never throws. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type that belongs to the format
  read<T extends object>(format: FormatName, text: string): T | null {
    let value: unknown = null;
    try {
      value = JSON.parse(text);
    } catch {
      // Not JSON: unreadable.
    }
    return this.fits(format, value) ? (value as T) : null;
  }

  fits(format: FormatName, value: unknown): boolean {
    const version: unknown = isObject(value) ? (value['v'] ?? 1) : null;
    const known = (formats[format].reads as readonly unknown[]).includes(version);
    if (known && (shapes[format]?.(value as object) ?? true)) return true;
    this.unreadable.set(format, (this.unreadable.get(format) ?? 0) + 1);
    const why = !isObject(value)
      ? 'it is not a JSON object'
      : known
        ? 'its fields do not have the shape of that version'
        : `this release does not read it`;
    this.#onError(new Error(`A ${format} of version ${JSON.stringify(version)?.slice(0, 20)} cannot be read: ${why}.`));
    return false;
  }
}

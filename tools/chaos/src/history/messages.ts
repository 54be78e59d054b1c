/** What a round's history says of webhooks. Times as in `records.ts`. */

/** A webhook that an account has all through the round. */
export interface Hook {
  /** Of its receiver, and unlike any other's. */
  readonly path: string;
  readonly account: string;
  /** Whose events it wants. */
  readonly robots: readonly string[];
  /** Which; null: all. */
  readonly names: readonly string[] | null;
}

/** A message as it came to a receiver, once for each time. */
export interface Message {
  readonly at: number;
  /** Of the hook. */
  readonly path: string;
  /** `webhook-id`. */
  readonly id: string;
  /** Its signature is that of the hook's secret. */
  readonly genuine: boolean;
  /** '' where it tells of none. */
  readonly robot: string;
  /** 0 where it tells of none. */
  readonly seq: number;
  readonly name: string;
  /** As JSON with sorted keys. */
  readonly data: string;
  /** What the receiver said to it: taken with 204, refused with 500, or nothing at all. */
  readonly answer: Answer;
}

export type Answer = 'taken' | 'refused' | 'cut';

/** Records of a round's webhooks. Times as in `records.ts`. */

/** A webhook that an account has throughout the round. */
export interface Hook {
  readonly path: string;
  readonly account: string;
  /** Robots whose events it subscribes to. */
  readonly robots: readonly string[];
  readonly names: readonly string[] | null;
}

/** One delivery of a message to a receiver. */
export interface Message {
  readonly at: number;
  readonly path: string;
  /** `webhook-id`. */
  readonly id: string;
  /** Whether the signature matches the hook's secret. */
  readonly genuine: boolean;
  /** '' if the message names none. */
  readonly robot: string;
  /** 0 if the message names none. */
  readonly seq: number;
  readonly name: string;
  /** JSON with sorted keys. */
  readonly data: string;
  /** The receiver's reply: accepted with 204, refused with 500, or connection closed. */
  readonly answer: Answer;
}

export type Answer = 'taken' | 'refused' | 'cut';

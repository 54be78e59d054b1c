export interface Hook {
  readonly path: string;
  readonly account: string;
  readonly robots: readonly string[];
  readonly names: readonly string[] | null;
}

export interface Message {
  readonly at: number;
  readonly path: string;
  readonly id: string;
  /** The signature matches the hook's secret. */
  readonly genuine: boolean;
  readonly robot: string;
  readonly seq: number;
  readonly name: string;
  /** JSON with sorted keys. */
  readonly data: string;
  /** Accepted with 204, refused with 500, or connection closed. */
  readonly answer: Answer;
}

export type Answer = 'taken' | 'refused' | 'cut';

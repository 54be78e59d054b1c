export interface PerchOptions {
  /** URL of the service, such as `http://127.0.0.1:8080`. Undefined, for example because an environment variable is not set: the constructor throws. */
  baseUrl: string | undefined;
  /** API key, `pk_...`. It is sent only to `baseUrl`, as a header. */
  apiKey: string | undefined;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Maximum number of retries of a call that cannot be executed twice by retrying. Default 3; 0 disables retries. */
  maxRetries?: number | undefined;
  /**
   * Whether the client generates an Idempotency-Key for each call that acts, except ask, menu and clickmap, so that it can be retried when its
   * response is lost. Default true. The service stores each outcome for 10 minutes, up to a size per
   * robot: a program that acts many times a second may turn it off, to stay below that size.
   */
  idempotencyKeys?: boolean | undefined;
}

export interface CallOptions {
  /** Cancels the call: it rejects with the signal's reason, and a pending question is removed from the screen. */
  signal?: AbortSignal | undefined;
  /**
   * Identifies the call: for 10 minutes the service executes the same call with the same key once, however often and from wherever it is sent.
   * If unset, the client generates one, except for ask, menu and clickmap (see `idempotencyKeys`). A question with a key stays up for 15 s after its
   * caller disconnected, so that the call can be retried.
   */
  idempotencyKey?: string | undefined;
}

/** Filter of a list of robots. Default: all of the key's robots. */
export interface RobotFilter {
  /** Only robots that are online (true) or offline (false). */
  online?: boolean | undefined;
  /** Only robots with exactly this firmware. Empty: robots that have never connected. */
  firmware?: string | undefined;
  /** Only robots with this label, such as `room=r7`, or with all of these labels. */
  label?: string | readonly string[] | undefined;
}

export interface RobotsSlice extends RobotFilter {
  /** Maximum number of robots, 1 to 1,000. Default: all. */
  limit?: number | undefined;
  /** Only robots after this id: `next` of the previous slice. */
  after?: string | undefined;
}

export interface ActivityFilter {
  /** Only entries of this robot. */
  robot?: string | undefined;
  /** Only calls with the API key of this id; `page`: only those of the web page. */
  key?: string | undefined;
  /** Only this action, or this kind of change. */
  action?: string | undefined;
  /** Only this outcome; `refused`: every error. */
  outcome?: string | undefined;
  /** Only calls, or only sign-ins and changes. */
  kind?: 'calls' | 'changes' | undefined;
}

export interface ActivityPage extends ActivityFilter {
  /** Only entries after this number, oldest first: `last_seq` of an earlier response. If unset: the newest entries. */
  after?: number | undefined;
  /** The newest entries before this number: `next_before` of an earlier response. */
  before?: number | undefined;
  /** Maximum number of entries, 1 to 1,000. Default: 100. */
  limit?: number | undefined;
}

/** What a program may say about the service, and about one call. */

export interface PerchOptions {
  /** Where the service answers, such as `http://127.0.0.1:8080`. */
  baseUrl: string | undefined;
  /** `pk_...`; it stays in the client, and is sent as a header to `baseUrl` alone. */
  apiKey: string | undefined;
  /** In place of the platform's own. */
  fetch?: typeof fetch | undefined;
  /** How often a call is sent again where nothing can be done twice by it; default 3, 0 never. */
  maxRetries?: number | undefined;
  /**
   * Whether each call that acts and asks nobody gets an Idempotency-Key of its own, so that it can be sent again when its answer is lost;
   * default true. The service keeps what became of each for 10 minutes: a program that acts many times a second may rather lose one.
   */
  idempotencyKeys?: boolean | undefined;
}

export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason, and a question that waits is taken away. */
  signal?: AbortSignal | undefined;
  /**
   * Names what is to be done once: for 10 minutes the same call with the same key is done once, however often and from wherever it is sent.
   * Left out, the client thinks one up for each call that acts and asks nobody. A question under a key stays up for 15 s more when its
   * caller is gone, in case it comes again.
   */
  idempotencyKey?: string | undefined;
}

/** Which of the key's robots a list has; if omitted, all. */
export interface RobotFilter {
  /** Only robots that are online (true) or offline (false). */
  online?: boolean | undefined;
  /** Only robots with exactly this firmware; empty: robots that never connected. */
  firmware?: string | undefined;
  /** Only robots with this label, `room=r7`, or with all of several. */
  label?: string | readonly string[] | undefined;
}

export interface RobotsSlice extends RobotFilter {
  /** Robots in the answer at most, 1 to 1,000; if omitted, all. */
  limit?: number | undefined;
  /** Only robots behind this id: `next` of the slice before. */
  after?: string | undefined;
}

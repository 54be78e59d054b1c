export interface PerchOptions {
  /** URL of the service, such as `http://127.0.0.1:8080`. Undefined, for example because an environment variable is not set: the constructor throws. */
  baseUrl: string | undefined;
  /** API key, `pk_...`. It is sent only to `baseUrl`, as a header. */
  apiKey: string | undefined;
  /** Replaces the platform's `fetch`, such as that of undici. */
  fetch?: Fetch | undefined;
  /** Further options of each `fetch`, such as `{ dispatcher }` for a proxy in Node, or `{ credentials: 'omit' }`. */
  fetchOptions?: object | undefined;
  /** Further headers of each call, such as those that a gateway in front of the service wants. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Time limit of a call with its retries, ms, in addition to what a person or an event may take. Default 30,000. */
  timeoutMs?: number | undefined;
  /** Called with each response, for logs. It is never told a key, a text or an answer. */
  onResponse?: ((report: CallReport) => void) | undefined;
  /** Maximum number of retries of a call that cannot be executed twice by retrying. Default 3; 0 disables retries. */
  maxRetries?: number | undefined;
  /**
   * Whether the client generates an Idempotency-Key for each call that acts, except ask, menu and clickmap, so that it can be retried when its
   * response is lost. Default true. The service stores each outcome for 10 minutes, up to a size per
   * robot: a program that acts many times a second may turn it off, to stay below that size.
   */
  idempotencyKeys?: boolean | undefined;
}

export interface CallReport {
  method: string;
  path: string;
  status: number;
  /** From sending the request to the headers of the response. */
  ms: number;
  /** Identifies the call in the logs of the service. */
  requestId: string | undefined;
}

/** The part of `fetch` that the client uses: those of the platform and of undici fit. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string | ArrayBuffer;
  redirect: 'manual';
  signal: AbortSignal;
}

export interface FetchResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly type?: string;
  readonly headers: { get(name: string): string | null };
  readonly body?: { getReader(): BodyReader } | null;
  text(): Promise<string>;
}

export interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
}

export interface CallOptions {
  /** Time limit of this call with its retries, ms, in addition to what a person or an event may take. Default: that of the client. */
  timeoutMs?: number | undefined;
  /** Cancels the call: it rejects with the signal's reason, and a pending question is removed from the screen. */
  signal?: AbortSignal | undefined;
  /**
   * Identifies the call: for 10 minutes the service executes the same call with the same key once, however often and from wherever it is sent.
   * If unset, the client generates one, except for ask, menu and clickmap (see `idempotencyKeys`, and `retry` of questions). A question with a key stays
   * up for 15 s after its caller disconnected, so that the call can be retried.
   */
  idempotencyKey?: string | undefined;
}

export interface QuestionOptions extends CallOptions {
  /**
   * Asks under an Idempotency-Key, a new one unless `idempotencyKey` is set, and asks again where the connection breaks or a proxy answers: for up to 15 s
   * after each break, for which the service keeps the question open, and up to 10 minutes in all, whatever `maxRetries` says. A call that is aborted or
   * takes too long removes its question by a request of its own, which a service before 0.11.0 does not know: there the question stays for up to 15 s.
   * Default false. With `detach` the call has a key in any case, and `retry` changes nothing.
   */
  retry?: boolean | undefined;
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

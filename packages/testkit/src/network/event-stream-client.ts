/** Parses server-sent events as in the HTML Living Standard (9.2.6). It does not reconnect. */

export interface StreamRecord {
  /** `message` if the record has no name. */
  event: string;
  /** The last event id when the record arrived. */
  id: string;
  /** Parsed from JSON. */
  // oxlint-disable-next-line no-explicit-any -- tests assert the contents
  data: any;
}

export class EventStreamClient {
  readonly status: number;
  readonly headers: Headers;
  readonly records: StreamRecord[] = [];
  body = '';
  comments = 0;
  lastEventId = '';
  retryMs: number | null = null;
  readonly closed: Promise<boolean>;
  readonly #abort: AbortController;
  #event = '';
  #id = '';
  #data: string[] = [];

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#abort = abort;
    this.closed = this.#read(response);
  }

  static async open(url: string, { apiKey, headers = {} }: { apiKey?: string; headers?: Record<string, string> }): Promise<EventStreamClient> {
    const abort = new AbortController();
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream', ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }), ...headers },
      signal: abort.signal,
    });
    return new EventStreamClient(response, abort);
  }

  get messages(): StreamRecord[] {
    return this.records.filter(({ event }) => event === 'message');
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(response: Response): Promise<boolean> {
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const bytes of response.body!) {
        rest += decoder.decode(bytes as Uint8Array, { stream: true });
        if (!isStream) this.body += rest;
        const lines = rest.split('\n');
        rest = isStream ? lines.pop()! : '';
        if (isStream) for (const line of lines) this.#line(line);
      }
      return true;
    } catch {
      return false;
    }
  }

  #line(line: string): void {
    if (line === '') return this.#dispatch();
    if (line.startsWith(':')) {
      this.comments++;
      return;
    }
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line)!;
    if (field === 'event') this.#event = value!;
    else if (field === 'data') this.#data.push(value!);
    else if (field === 'id') this.#id = value!;
    else if (field === 'retry') this.retryMs = Number(value);
  }

  /** An incomplete record, including its id, is ignored. */
  #dispatch(): void {
    this.lastEventId = this.#id;
    if (this.#data.length > 0) this.records.push({ event: this.#event || 'message', id: this.lastEventId, data: JSON.parse(this.#data.join('\n')) });
    this.#event = '';
    this.#data = [];
  }
}

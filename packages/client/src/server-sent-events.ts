/** The records of a `text/event-stream`, as the HTML Living Standard has them (9.2.6), each with the id that holds at its end. */

export interface StreamRecord {
  /** `message` where the record names none. */
  event: string;
  data: string;
  /** '' before the first. */
  lastEventId: string;
  /** What the service asks a client to wait before it comes again, ms; null where it has not. */
  retryMs: number | null;
}

/** No record of a Perch is a hundredth of it: what sends more is none. */
const charsMax = 1_048_576;

export class StreamParser {
  /** After the record that came last, or one without data. */
  lastEventId = '';
  retryMs: number | null = null;
  #rest = '';
  #data: string[] = [];
  #event = '';
  #id: string | null = null;

  /** The records that this text completes. @throws {RangeError} where one grows without end */
  push(text: string): StreamRecord[] {
    const records: StreamRecord[] = [];
    // A CR at the end may be half of a CRLF.
    const whole = this.#rest + text;
    const held = whole.endsWith('\r') ? whole.length - 1 : whole.length;
    const lines = whole.slice(0, held).split(/\r\n|\n|\r/);
    this.#rest = lines.pop()! + whole.slice(held);
    for (const line of lines) {
      const record = this.#line(line);
      if (record !== null) records.push(record);
    }
    if (this.#rest.length + this.#data.reduce((sum, { length }) => sum + length, 0) > charsMax)
      throw new RangeError('a record of a stream does not end');
    return records;
  }

  #line(line: string): StreamRecord | null {
    if (line === '') return this.#end();
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
    return null;
  }

  #end(): StreamRecord | null {
    if (this.#id !== null) this.lastEventId = this.#id;
    const { lastEventId, retryMs } = this;
    const record = this.#data.length === 0 ? null : { event: this.#event || 'message', data: this.#data.join('\n'), lastEventId, retryMs };
    this.#data = [];
    this.#event = '';
    this.#id = null;
    return record;
  }
}

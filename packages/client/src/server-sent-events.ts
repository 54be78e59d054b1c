/** Parses a `text/event-stream` (HTML Living Standard, 9.2.6). */

export interface StreamRecord {
  /** `message` if the record has no event name. */
  event: string;
  data: string;
  /** Up to and including this record; '' before the first. */
  lastEventId: string;
  /** Reconnection time requested by the service, ms; null: none. */
  retryMs: number | null;
}

/** More than 100 times the size of any record of a Perch service. */
const charsMax = 1_048_576;

export class StreamParser {
  /** Includes records without data. */
  lastEventId = '';
  retryMs: number | null = null;
  #rest = '';
  #data: string[] = [];
  #event = '';
  #id: string | null = null;

  /** Returns the records completed by this text. @throws {RangeError} a record is too long */
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
      throw new RangeError('a record of the event stream is too long');
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

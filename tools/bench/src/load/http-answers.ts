/** Answers of an HTTP/1.1 server on one connection, however the stream is split. */

export interface HttpAnswer {
  status: number;
  /** As they were sent, one a line. */
  headers: string;
  body: string;
}

const blankLine = '\r\n\r\n';
const none = Buffer.alloc(0);

export class AnswerReader {
  readonly #onAnswer: (answer: HttpAnswer) => void;
  #rest: Buffer = none;

  constructor(onAnswer: (answer: HttpAnswer) => void) {
    this.#onAnswer = onAnswer;
  }

  /** @throws if it is no answer with a length */
  read(bytes: Buffer): void {
    let data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#rest = none;
    while (data.length > 0) {
      const end = this.#readOne(data);
      if (end === null) {
        this.#rest = data;
        return;
      }
      data = data.subarray(end);
    }
  }

  /** @returns the end of the answer, or null if it is incomplete */
  #readOne(data: Buffer): number | null {
    const headEnd = data.indexOf(blankLine);
    if (headEnd === -1) return null;
    const head = data.toString('latin1', 0, headEnd);
    const [, status, headers = ''] = /^HTTP\/1\.1 (\d{3})[^\r\n]*((?:\r\n[^:\r\n]+:[^\r\n]*)*)$/.exec(head) ?? [];
    if (status === undefined) throw new Error(`no HTTP answer: ${head.slice(0, 200)}`);
    const start = headEnd + blankLine.length;
    const length = headerOf(headers, 'content-length');
    const read = length === null ? chunksOf(data, start, headers) : bytesOf(data, start, length);
    if (read === null) return null;
    this.#onAnswer({ status: Number(status), headers, body: read.body });
    return read.end;
  }
}

/** @param name in lower case @returns null if there is none */
export function headerOf(headers: string, name: string): string | null {
  return new RegExp(`\r\n${name}: *([^\r\n]*)`, 'i').exec(headers)?.[1] ?? null;
}

interface Body {
  body: string;
  end: number;
}

function bytesOf(data: Buffer, start: number, length: string): Body | null {
  if (!/^\d+$/.test(length)) throw new Error(`content-length: ${length}`);
  const end = start + Number(length);
  return end > data.length ? null : { body: data.toString('utf8', start, end), end };
}

/** Trailers are not used by the measured servers. */
function chunksOf(data: Buffer, start: number, headers: string): Body | null {
  if (headerOf(headers, 'transfer-encoding') !== 'chunked') throw new Error(`an answer without a length: ${headers.slice(0, 200)}`);
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const line = data.indexOf('\r\n', at);
    if (line === -1) return null;
    const text = data.toString('latin1', at, line);
    if (!/^[0-9a-f]+$/i.test(text)) throw new Error(`the size of a chunk: ${text.slice(0, 80)}`);
    const size = Number.parseInt(text, 16);
    const end = line + 2 + size + 2;
    if (end > data.length) return null;
    if (data.toString('latin1', end - 2, end) !== '\r\n') throw new Error('a chunk of another size');
    if (size === 0) return { body: Buffer.concat(chunks).toString('utf8'), end };
    chunks.push(data.subarray(line + 2, line + 2 + size));
    at = end;
  }
}

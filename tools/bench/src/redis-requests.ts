/** Requests of one Redis client (arrays of bulk strings). */

const carriageReturn = 13;
const shownMax = 80;

/** Returns the name of a command, of a script also its hash. */
export function kindOf(name: string, firstArgument: string): string {
  return name === 'evalsha' ? `${name} ${firstArgument}` : name;
}

export class RequestReader {
  readonly #onRequest: (name: string, firstArgument: string) => void;
  #rest: Buffer = Buffer.alloc(0);

  /** @param onRequest called with each command's name in lower case, like commandstats but without subcommands */
  constructor(onRequest: (name: string, firstArgument: string) => void) {
    this.#onRequest = onRequest;
  }

  /** @throws if it is not a request of a Redis client */
  read(bytes: Buffer): void {
    let at = 0;
    const data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const end = this.#readOne(data, at);
      if (end === null) break;
      at = end;
    }
    this.#rest = data.subarray(at);
  }

  /** @returns the end of the request, or null if it is incomplete */
  #readOne(data: Buffer, at: number): number | null {
    const head = lengthAt(data, at, '*');
    if (head === null) return null;
    let { next } = head;
    const shown: string[] = [];
    for (let i = 0; i < head.length; i++) {
      const bulk = lengthAt(data, next, '$');
      if (bulk === null || bulk.next + bulk.length + 2 > data.length) return null;
      if (i < 2) shown.push(data.toString('latin1', bulk.next, bulk.next + Math.min(bulk.length, shownMax)));
      next = bulk.next + bulk.length + 2;
    }
    this.#onRequest(shown[0]?.toLowerCase() ?? '', shown[1] ?? '');
    return next;
  }
}

function lengthAt(data: Buffer, at: number, type: '*' | '$'): { length: number; next: number } | null {
  const end = data.indexOf(carriageReturn, at);
  if (end === -1 || end + 1 >= data.length) return null;
  const line = data.toString('latin1', at, end);
  if (line[0] !== type) throw new Error(`not a Redis request: ${line.slice(0, shownMax)}`);
  return { length: Number(line.slice(1)), next: end + 2 };
}

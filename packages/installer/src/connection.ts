/** Reads an open port by what is expected next, with a time limit each. */
import { charsOf } from './bytes.js';
import { InstallError } from './install-error.js';
import type { ByteStreams, RobotPort } from './robot-port.js';

/** The expected bytes did not arrive in time; the port is still open. */
export class ReplyTimeout extends Error {
  override readonly name = 'ReplyTimeout';
}

/** A robot that prints without end must not fill the memory of the page. */
const keptMax = 256 * 1024;

export class Connection {
  readonly #port: RobotPort;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  /** One character a byte. */
  #received = '';
  #lost: unknown;
  #isInterrupted = false;
  #notify: (() => void) | null = null;

  private constructor(port: RobotPort, { readable, writable }: ByteStreams) {
    this.#port = port;
    this.#reader = readable.getReader();
    this.#writer = writable.getWriter();
    // A failure is reported by the next call.
    this.#writer.closed.catch(() => undefined);
    void this.#pump();
  }

  /** @throws {InstallError} that of the port, or port_busy */
  static async open(port: RobotPort): Promise<Connection> {
    try {
      return new Connection(port, await port.open());
    } catch (error) {
      if (error instanceof InstallError) throw error;
      throw new InstallError('port_busy', 'The port could not be opened.', { cause: error });
    }
  }

  /** Fails pending and later reads and writes with `interrupted`, until `resume`. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#notify?.();
  }

  resume(): void {
    this.#isInterrupted = false;
  }

  /** @throws {InstallError} port_lost, interrupted */
  async write(bytes: Uint8Array): Promise<void> {
    this.#requirePort();
    try {
      await this.#writer.write(bytes);
    } catch (error) {
      this.#lost ??= error;
      this.#requirePort();
    }
  }

  /** Consumes the token, too. @returns the bytes before it, one character each @throws {ReplyTimeout} */
  readUntil(token: string, timeoutMs: number): Promise<string> {
    return this.#take(timeoutMs, () => {
      const at = this.#received.indexOf(token);
      return at === -1 ? null : { taken: this.#received.slice(0, at), consumed: at + token.length };
    });
  }

  /** @throws {ReplyTimeout} */
  readBytes(count: number, timeoutMs: number): Promise<string> {
    return this.#take(timeoutMs, () => (this.#received.length < count ? null : { taken: this.#received.slice(0, count), consumed: count }));
  }

  /** Drops what arrives until nothing has arrived for `quietMs`, but for no longer than `timeoutMs`. */
  async discard(quietMs: number, timeoutMs: number): Promise<void> {
    const until = Date.now() + timeoutMs;
    do {
      this.#received = '';
      try {
        await this.readBytes(1, quietMs);
      } catch (error) {
        if (error instanceof ReplyTimeout) return;
        throw error;
      }
    } while (Date.now() < until);
  }

  async close(): Promise<void> {
    this.#lost ??= new Error('closed');
    await this.#reader.cancel().catch(() => undefined);
    this.#reader.releaseLock();
    await this.#writer.abort().catch(() => undefined);
    this.#writer.releaseLock();
    await this.#port.close().catch(() => undefined);
  }

  async #take(timeoutMs: number, find: () => { taken: string; consumed: number } | null): Promise<string> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const found = this.#isInterrupted ? null : find();
      if (found !== null) {
        this.#received = this.#received.slice(found.consumed);
        return found.taken;
      }
      this.#requirePort();
      const leftMs = until - Date.now();
      if (leftMs <= 0) throw new ReplyTimeout(`no reply within ${timeoutMs} ms`);
      await this.#more(leftMs);
    }
  }

  /** Resolves when something has arrived, the port is lost, or the time is over. */
  #more(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#notify = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #pump(): Promise<void> {
    try {
      for (;;) {
        const { value, done } = await this.#reader.read();
        if (done) throw new Error('the port has ended');
        this.#received += charsOf(value);
        if (this.#received.length > keptMax) this.#received = this.#received.slice(-keptMax);
        this.#notify?.();
      }
    } catch (error) {
      this.#lost ??= error;
      this.#notify?.();
    }
  }

  #requirePort(): void {
    if (this.#lost !== undefined) throw new InstallError('port_lost', 'The connection to the robot was lost.', { cause: this.#lost });
    if (this.#isInterrupted) throw new InstallError('interrupted', 'The installation was interrupted.');
  }
}

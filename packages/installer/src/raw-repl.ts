/**
 * MicroPython's raw REPL, which takes programs from other programs: code, Ctrl-D, then `OK`, its output, \x04, its traceback, \x04 and `>`. Raw-paste mode,
 * where the firmware offers it, has flow control (https://docs.micropython.org/en/latest/reference/repl.html).
 */
import { bytesOf, textOf } from './bytes.js';
import { type Connection, ReplyTimeout } from './connection.js';
import { InstallError } from './install-error.js';

const interrupt = '\r\x03\x03';
const enterRaw = '\x01';
const end = '\x04';
const askForPaste = '\x05A\x01';
const banner = 'raw REPL; CTRL-B to exit\r\n>';
const replyMs = 2000;
/** A port without flow control takes that many bytes at once. */
const partBytes = 256;

/** The code raised an exception on the robot. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
}

export class RawRepl {
  readonly #connection: Connection;
  /** Null: not yet known. */
  #paste: boolean | null = null;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Stops the program that runs on the robot. Opening a port may have restarted the robot, so it tries until `withinMs` are over.
   * @throws {InstallError} no_reply, port_lost
   */
  static async enter(connection: Connection, withinMs: number): Promise<RawRepl> {
    const until = Date.now() + withinMs;
    const repl = new RawRepl(connection);
    for (;;) {
      try {
        await repl.#enter();
        return repl;
      } catch (error) {
        if (!(error instanceof ReplyTimeout)) throw error;
        if (Date.now() > until) throw new InstallError('no_reply', 'Nothing on this port replies as MicroPython does.', { cause: error });
      }
    }
  }

  /** @returns what the code printed @throws {DeviceError} its exception @throws {InstallError} port_lost, device_failed */
  async exec(code: string, timeoutMs: number): Promise<string> {
    try {
      await this.#send(code);
      const output = await this.#connection.readUntil(end, timeoutMs);
      const traceback = await this.#connection.readUntil(end, replyMs);
      await this.#connection.readUntil('>', replyMs);
      if (traceback !== '') throw new DeviceError(textOf(traceback).trim());
      return textOf(output);
    } catch (error) {
      if (error instanceof ReplyTimeout) throw new InstallError('device_failed', 'The robot stopped replying.', { cause: error });
      throw error;
    }
  }

  /** Sends code that restarts the robot, whose port may be lost before it has replied. @throws {InstallError} interrupted */
  async execLast(code: string): Promise<void> {
    await this.#send(code).catch((error: unknown) => {
      const isExpected = error instanceof ReplyTimeout || (error instanceof InstallError && error.code !== 'interrupted');
      if (!isExpected) throw error;
    });
  }

  async #enter(): Promise<void> {
    await this.#connection.write(bytesOf(interrupt));
    await this.#connection.discard(100, replyMs);
    await this.#connection.write(bytesOf(enterRaw));
    await this.#connection.readUntil(banner, replyMs);
  }

  async #send(code: string): Promise<void> {
    const bytes = new TextEncoder().encode(code);
    if (await this.#pasteOffered()) return this.#sendByPaste(bytes);
    for (let at = 0; at < bytes.length; at += partBytes) await this.#connection.write(bytes.subarray(at, at + partBytes));
    await this.#connection.write(bytesOf(end));
    await this.#connection.readUntil('OK', replyMs);
  }

  /** Afterwards, if it is offered, the robot is in raw-paste mode. */
  async #pasteOffered(): Promise<boolean> {
    if (this.#paste === false) return false;
    await this.#connection.write(bytesOf(askForPaste));
    const reply = await this.#connection.readBytes(2, replyMs);
    if (reply === 'R\x01') return (this.#paste = true);
    this.#paste = false;
    // Firmware that does not know the mode has printed its banner again.
    if (reply !== 'R\x00') await this.#connection.readUntil(banner.slice(reply.length), replyMs);
    return false;
  }

  async #sendByPaste(bytes: Uint8Array): Promise<void> {
    const size = await this.#connection.readBytes(2, replyMs);
    const windowBytes = size.charCodeAt(0) + 256 * size.charCodeAt(1);
    let room = windowBytes;
    for (let at = 0; at < bytes.length;) {
      while (room === 0) {
        const control = await this.#connection.readBytes(1, replyMs);
        // The compiler has failed. The robot ignores what follows until the end, and replies with its exception.
        if (control === end) return this.#connection.write(bytesOf(end));
        if (control === '\x01') room += windowBytes;
      }
      const part = bytes.subarray(at, at + room);
      await this.#connection.write(part);
      at += part.length;
      room -= part.length;
    }
    await this.#connection.write(bytesOf(end));
    // Permits for further bytes may precede it.
    await this.#connection.readUntil(end, replyMs);
  }
}

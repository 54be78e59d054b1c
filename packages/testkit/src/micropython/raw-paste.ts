/**
 * Raw-paste mode as MicroPython documents it (https://docs.micropython.org/en/latest/reference/repl.html) and its pyexec.c implements it: two windows of
 * flow control, the end confirmed by both sides. The WebAssembly build cannot wait for its input, so this reads the code and the interpreter gets it whole.
 */
import { setImmediate } from 'node:timers/promises';

const ctrlC = 3;
const ctrlD = 4;
const permit = '\x01';
const end = '\x04';
/** An ESP32 has a buffer of 260 bytes for two windows of 128. */
const spareBytes = 4;

export interface RawPasteOptions {
  /** Half of the robot's input buffer: 128 on an ESP32. */
  windowBytes: number;
  /** The compiler fails after this many bytes, as one without memory. */
  failsAfterBytes?: number | undefined;
}

interface RawPasteRobot {
  send: (text: string) => void;
  /** Runs code by the plain raw mode. */
  run: (code: readonly number[]) => void;
  /** A byte after the end of the paste. */
  next: (byte: number) => void;
  /** The robot's buffer is full, and bytes are lost. */
  overflow: () => void;
}

export class RawPaste {
  readonly #options: RawPasteOptions;
  readonly #robot: RawPasteRobot;
  readonly #buffer: number[] = [];
  readonly #code: number[] = [];
  #windowLeft: number;
  #isReading = false;
  #hasFailed = false;
  #isOver = false;

  constructor(options: RawPasteOptions, robot: RawPasteRobot) {
    this.#options = options;
    this.#robot = robot;
    this.#windowLeft = options.windowBytes;
    const { windowBytes } = options;
    robot.send(`R\x01${String.fromCharCode(windowBytes & 255, windowBytes >> 8)}${permit}`);
  }

  /** The code has run: bytes that follow are for the REPL. */
  get isDone(): boolean {
    return this.#isOver && this.#buffer.length === 0;
  }

  receive(byte: number): void {
    if (this.#buffer.length >= 2 * this.#options.windowBytes + spareBytes) this.#robot.overflow();
    this.#buffer.push(byte);
    if (!this.#isReading) void this.#read();
  }

  /** The interpreter reads after the port has received. */
  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#buffer.length > 0) {
      await setImmediate();
      for (const byte of this.#buffer.splice(0, this.#options.windowBytes)) this.#take(byte);
    }
    this.#isReading = false;
  }

  #take(byte: number): void {
    const { send, run, next } = this.#robot;
    if (this.#isOver) return next(byte);
    if (byte === ctrlC || byte === ctrlD) {
      this.#isOver = true;
      if (this.#hasFailed) return send(`${end}Traceback (most recent call last):\r\nMemoryError: memory allocation failed\r\n${end}>`);
      send(end);
      if (byte === ctrlD) return run(this.#code);
      return send(`${end}Traceback (most recent call last):\r\nKeyboardInterrupt: \r\n${end}>`);
    }
    if (this.#hasFailed) return;
    this.#code.push(byte);
    if (this.#code.length > (this.#options.failsAfterBytes ?? Infinity)) {
      this.#hasFailed = true;
      return send(end);
    }
    this.#windowLeft -= 1;
    if (this.#windowLeft > 0) return;
    this.#windowLeft = this.#options.windowBytes;
    send(permit);
  }
}

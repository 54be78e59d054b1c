/**
 * A robot behind a serial port: the raw REPL of the real interpreter (MicroPython's WebAssembly build, from npm) with files that survive a restart, and
 * stand-ins for UIFlow2's modules. Power can be cut after any byte and at any renaming of a file.
 */
import { loadMicroPython, type MicroPythonModule } from '@micropython/micropython-webassembly-pyscript/micropython.mjs';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RawPaste, type RawPasteOptions } from './raw-paste.js';

export interface SerialRobotState {
  /** A name of M5.BOARD; null: MicroPython without UIFlow2's modules. */
  board: string | null;
  /** Version of UIFlow2, as `esp32.firmware_info()` has it. */
  uiflow: string;
  wifi: { ssid: string; password: string };
  /** Status that network.WLAN reports of a failed attempt until the next one has ended. */
  wifiReason: number | null;
  /** Connections to the service are accepted. */
  reachable: boolean;
}

export interface SerialRobotOptions extends Partial<SerialRobotState> {
  /** Offers raw-paste mode, as firmware does. Default: it is answered as by a build without the mode. */
  paste?: RawPasteOptions | undefined;
  /** Starts what runs after a restart: it prints lines on the port. */
  onRestart?: (robot: SerialRobot) => void;
}

const stateDefault: SerialRobotState = {
  board: 'M5StackChan',
  uiflow: 'V2.5.3',
  wifi: { ssid: 'Home', password: 'secret-1' },
  wifiReason: null,
  reachable: true,
};
const heapBytes = 2 * 1024 * 1024;
const interruptByte = 3;
const endByte = 4;
/** In this build a paste of raw code does not end: the interpreter does not see the request. */
const askForPaste = '\x05A\x01';
const noPaste = 'R\x00';
/** Files of the robot, and what the stand-ins keep. */
const keptFolders = ['/flash', '/device'];
const ioError = 29;

export class SerialRobot {
  readonly state: SerialRobotState;
  /** Bytes that the robot has received on its port. */
  received = 0;
  restarts = 0;
  /** Power is cut once this number of bytes has been received. */
  cutAfterBytes = Infinity;
  /** Power is cut instead of renaming a file, after this many renamings. */
  cutAfterRenames = Infinity;
  /** Another program uses the port. */
  busy = false;
  /** Number of programs that arrived by raw-paste mode. */
  pasted = 0;
  /** Bytes were lost in raw-paste mode, because more arrived than was permitted. */
  overflowed = false;
  /** The time of the watchdog, once a program has started it; how often it was fed. */
  readonly watchdog = { ms: null as number | null, fed: 0 };
  /** It does not read its port. */
  hangs = false;
  /** Called at each byte that arrives. */
  onReceived: (() => void) | null = null;
  readonly #onRestart: (robot: SerialRobot) => void;
  readonly #pasteOptions: RawPasteOptions | null;
  #paste: RawPaste | null = null;
  #kept = new Map<string, Uint8Array>();
  #interpreter: MicroPythonModule | null = null;
  #output: ReadableStreamDefaultController<Uint8Array> | null = null;
  readonly #unread: string[] = [];
  /** How many of the next bytes from the interpreter are not sent. */
  #dropped = 0;
  #restarted: Promise<void> = Promise.resolve();
  #running = false;
  #resetting = false;
  #off = false;

  private constructor({ onRestart = () => {}, paste, ...state }: SerialRobotOptions) {
    this.#pasteOptions = paste ?? null;
    this.state = { ...stateDefault, ...state };
    this.#onRestart = onRestart;
  }

  static async start(options: SerialRobotOptions = {}): Promise<SerialRobot> {
    const robot = new SerialRobot(options);
    await robot.powerOn();
    return robot;
  }

  /** Files below /flash, by path. */
  get files(): Map<string, Uint8Array> {
    this.#keepFiles();
    const prefix = '/flash/';
    const below = [...this.#kept].filter(([path]) => path.startsWith(prefix));
    return new Map(below.map(([path, bytes]) => [path.slice(prefix.length), bytes]));
  }

  /** Returns the values that the firmware stores in its namespace `uiflow`. */
  get nvs(): Record<string, unknown> {
    this.#keepFiles();
    const bytes = this.#kept.get('/device/nvs.json');
    return bytes === undefined ? {} : ((JSON.parse(new TextDecoder().decode(bytes)) as { uiflow?: Record<string, unknown> }).uiflow ?? {});
  }

  /** Runs code of the program on the robot. */
  run(code: string): void {
    this.#interpreter!.runPython(code);
  }

  putFile(path: string, text: string): void {
    this.#interpreter!.FS.mkdirTree('/flash');
    this.#interpreter!.FS.writeFile(`/flash/${path}`, text);
  }

  /** The port as the installer uses it. */
  readonly port = {
    open: async (): Promise<{ readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> }> => {
      if (this.busy || this.#off || this.#output !== null) throw new Error('the port cannot be opened');
      return {
        readable: new ReadableStream<Uint8Array>({
          start: (controller) => {
            this.#output = controller;
            for (const line of this.#unread.splice(0)) this.print(line);
          },
          cancel: () => {
            this.#output = null;
          },
        }),
        writable: new WritableStream<Uint8Array>({ write: (bytes) => this.#receive(bytes) }),
      };
    },
    close: async (): Promise<void> => {
      this.#output = null;
    },
  };

  /** A line of the program that runs. It is kept until the port is open. */
  print(line: string): void {
    if (this.#output === null) this.#unread.push(line);
    else this.#send(new TextEncoder().encode(`${line}\r\n`));
  }

  /** Resolves when a restart that has begun is over. */
  async restarted(): Promise<void> {
    await this.#restarted;
  }

  powerCut(): void {
    this.#keepFiles();
    this.#interpreter = null;
    this.#off = true;
    this.#paste = null;
    const output = this.#output;
    this.#output = null;
    output?.error(new Error('the device has been lost'));
  }

  /** The program in main.py runs at once, if the firmware starts it. */
  async powerOn(): Promise<void> {
    const interpreter = await loadMicroPython({ heapsize: heapBytes, linebuffer: false, stdout: (bytes) => this.#printed(bytes) });
    const { FS } = interpreter;
    for (const folder of ['/lib', ...keptFolders]) FS.mkdirTree(folder);
    for (const [path, bytes] of this.#kept) {
      FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
      FS.writeFile(path, bytes);
    }
    const folder = fileURLToPath(new URL('../../uiflow/', import.meta.url));
    const modules = readdirSync(folder).filter((name) => this.state.board !== null || name !== 'M5.py');
    for (const name of modules) FS.writeFile(`/lib/${name}`, readFileSync(`${folder}${name}`));
    FS.writeFile('/device/state.json', JSON.stringify(this.state));
    interpreter.registerJsModule('perch_device', {
      reset: () => (this.#resetting = true),
      watchdog: (ms: number) => (this.watchdog.ms = ms),
      fed: () => (this.watchdog.fed += 1),
    });
    this.#countRenames(interpreter);
    this.#interpreter = interpreter;
    this.#off = false;
    interpreter.replInit();
    this.#running = this.files.has('main.py') && this.nvs['boot_option'] === 0;
  }

  async #receive(bytes: Uint8Array): Promise<void> {
    if (Buffer.from(bytes).toString('latin1') === askForPaste) {
      if (this.#pasteOptions === null) this.#sendText(noPaste);
      else this.#beginPaste(this.#pasteOptions);
      return;
    }
    for (const byte of bytes) {
      this.received += 1;
      if (this.received > this.cutAfterBytes) this.powerCut();
      if (this.#off) throw new Error('the device has been lost');
      this.onReceived?.();
      if (this.hangs) continue;
      // A program that runs does not read its input.
      if (this.#running && byte !== interruptByte) continue;
      this.#running = false;
      if (this.#paste?.isDone === false) this.#paste.receive(byte);
      else if (this.#process(byte)) return this.#restart();
    }
  }

  /** @returns whether the robot restarts */
  #process(byte: number): boolean {
    this.#interpreter?.replProcessChar(byte);
    return this.#resetting;
  }

  #beginPaste(options: RawPasteOptions): void {
    this.pasted += 1;
    this.#paste = new RawPaste(options, {
      send: (text) => this.#sendText(text),
      run: (code) => {
        // Confirms the plain mode, which the other side did not ask for.
        this.#dropped = 'OK'.length;
        for (const byte of [...code, endByte]) this.#process(byte);
        if (this.#resetting) this.#restarted = this.#restart();
      },
      next: (byte) => this.#process(byte),
      overflow: () => (this.overflowed = true),
    });
  }

  async #restart(): Promise<void> {
    this.#resetting = false;
    this.restarts += 1;
    this.powerCut();
    await this.powerOn();
    this.#onRestart(this);
  }

  #printed(bytes: Uint8Array): void {
    const dropped = Math.min(this.#dropped, bytes.length);
    this.#dropped -= dropped;
    if (!this.#resetting && dropped < bytes.length) this.#send(bytes.slice(dropped));
  }

  #sendText(text: string): void {
    this.#send(Buffer.from(text, 'latin1'));
  }

  #send(bytes: Uint8Array): void {
    this.#output?.enqueue(bytes);
  }

  #countRenames({ FS }: MicroPythonModule): void {
    const rename = FS.rename.bind(FS);
    let renames = 0;
    FS.rename = (from, to) => {
      if (renames >= this.cutAfterRenames) {
        if (!this.#off) this.powerCut();
        throw new FS.ErrnoError(ioError);
      }
      renames += 1;
      rename(from, to);
    };
  }

  #keepFiles(): void {
    if (this.#interpreter === null) return;
    const { FS } = this.#interpreter;
    const kept = new Map<string, Uint8Array>();
    const keep = (folder: string): void => {
      for (const name of FS.readdir(folder).filter((one) => one !== '.' && one !== '..')) {
        const path = `${folder}/${name}`;
        if (FS.isDir(FS.stat(path).mode)) keep(path);
        else kept.set(path, FS.readFile(path));
      }
    };
    for (const folder of keptFolders) keep(folder);
    this.#kept = kept;
  }
}

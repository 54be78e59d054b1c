/** The methods of the virtual robot, over a robot program in MicroPython that runs as a process of its own. */
import { Faults, LinkError, summaryOf, systemClock, until, type Fields, type Pace, type Reading } from '@perch/virtual-robot';
import { randomUUID } from 'node:crypto';
import type { Micropython } from './find-micropython.js';
import { RobotMirror, type MicropythonEvents } from './robot-mirror.js';
import { RobotProcess, robotProgram } from './robot-process.js';

export interface MicropythonRobotOptions {
  micropython: Micropython;
  /** `ws(s)://HOST/robot/v1/link` */
  url: string;
  /** Without one the robot shows a code and waits until it is paired. */
  token?: string;
  serial?: string;
  /** An authority in PEM, for wss. */
  ca?: string;
  /** Parts that the board does not have. */
  absent?: readonly string[];
  /** More of its settings, by their names in `settings.json`. */
  settings?: Fields;
  reconnect?: { minMs?: number; maxMs?: number };
  /** Instead of `main.py`. */
  program?: string;
  /** Memory for what lies in the program's heap here and not on a chip, KB. */
  besideKb?: number;
  log?: (line: string) => void;
  /** Called for a fault that the program cannot have. Default: throws an Error. */
  unsupported?: (message: string) => never;
}

function fail(message: string): never {
  throw new Error(message);
}

const unsupportedFaults: (string | symbol)[] = ['beginLateMs', 'noHello', 'hello', 'noPing'];

export class MicropythonRobot extends RobotMirror {
  readonly serial: string;
  readonly faults: Faults;
  lastClosed: MicropythonEvents['closed'] | null = null;
  readonly #options: MicropythonRobotOptions;
  readonly #readings: Record<string, Reading> = {};
  #url: string;
  #token: string | undefined;
  #process: RobotProcess | null = null;
  #stopping = false;

  constructor(options: MicropythonRobotOptions) {
    super();
    this.#options = options;
    this.#url = options.url;
    this.#token = options.token;
    this.serial = options.serial ?? `micropython-${randomUUID().slice(0, 8)}`;
    const unsupported = options.unsupported ?? fail;
    const none = (what: string) => () => unsupported(`the MicroPython robot cannot ${what}`);
    this.faults = new Faults({
      drop: () => this.#send({ c: 'drop' }),
      halfOpen: none('leave its connection half open'),
      stopReading: none('stop reading'),
      resume: () => undefined,
      redial: () => this.#send({ c: 'redial' }),
      sendRaw: none('send what is no message'),
    });
    const settings = new Proxy(this.faults.settings, {
      set: (target, name, value) => {
        if (value && unsupportedFaults.includes(name)) unsupported(`the MicroPython robot cannot fail by ${String(name)}`);
        Reflect.set(target, name, value);
        this.#send({ c: 'faults', settings: target });
        return true;
      },
    });
    Object.assign(this.faults, { settings });
    this.on('closed', (event) => (this.lastClosed = event));
  }

  /** Process id of the robot program. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** Resolves at the first welcome. @throws {LinkError} the token is not valid, or the program ended */
  async start(): Promise<void> {
    if (this.online) return;
    const welcome = new Promise<void>((resolve, reject) => {
      const off = [
        this.on('session', () => end(resolve)),
        this.on('closed', ({ final, code, reason, status }) => {
          if (final) end(() => reject(new LinkError(`the link ended: ${reason} ${this.violations.at(-1) ?? ''}`, code, status)));
        }),
      ];
      const end = (settle: () => void): void => {
        for (const stopListening of off) stopListening();
        settle();
      };
    });
    if (this.#process === null) this.#spawn({ cause: 'power_on' });
    await welcome;
  }

  /** Starts the program without waiting for the service. */
  boot(): void {
    if (this.#process === null) this.#spawn({ cause: 'power_on' });
  }

  /** For the next dial; an open connection continues. */
  dialAt(url: string): void {
    this.#url = url;
    this.#send({ c: 'url', url });
  }

  /** Ends the program, and with it the robot's state. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#process?.stop();
    this.#process = null;
  }

  /** As after a power cut. */
  restart(_reason = 'restart', boot: { cause: string } = { cause: 'reset' }): void {
    const { bootId } = this;
    this.#stopping = true;
    const before = this.#process;
    this.#process = null;
    this.forget();
    void before?.kill().then(() => {
      if (this.bootId === bootId) this.#spawn(boot);
    });
  }

  setReading(name: string, value: Reading | undefined): void {
    if (value === undefined) delete this.#readings[name];
    else this.#readings[name] = value;
    this.#send({ c: 'readings', values: this.#readings });
  }

  reportNow(): void {
    this.#send({ c: 'report' });
  }

  /** The answer is the event `longest`. */
  askLongestTurn(): void {
    this.#send({ c: 'longest' });
  }

  /** The answer is the event `heap`. */
  askHeap(): void {
    this.#send({ c: 'heap' });
  }

  /** The answer is the event `frame`: the screen without cards and questions. @param still the face without movement */
  askFrame(still = false): void {
    this.#send({ c: 'frame', still });
  }

  /** As if the network were gone, or an update were being installed: the robot says so on its screen. */
  setCondition(condition: 'wifi' | 'updating', on: boolean): void {
    this.#send({ c: condition, on });
  }

  log(level: string, text: string): void {
    this.#send({ c: 'log', level, text });
  }

  /** Checked at every change and every 25 ms. @throws {Error} not within `timeoutMs` */
  until(predicate: (robot: this) => boolean, { timeoutMs = 5000, what }: { timeoutMs?: number; what?: string } = {}): Promise<void> {
    return until({
      clock: systemClock,
      timeoutMs,
      holds: () => predicate(this),
      onChange: (check) => this.on('change', check),
      timeoutMessage: () => `not within ${timeoutMs} ms: ${what ?? predicate.toString()}; ${this.summary()}`,
    });
  }

  summary(): string {
    return summaryOf(this);
  }

  /** The robot program numbers its inputs in the same order. */
  input(kind: string, fields: Fields): number {
    this.inputs.seq += 1;
    this.#send({ c: 'input', kind, fields });
    return this.inputs.seq;
  }

  protected passTime(ms: number, _pace: Pace): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** The program itself finds the sticker that a touch hits. */
  protected spriteAt(): null {
    return null;
  }

  protected random(): number {
    return Math.random();
  }

  #spawn({ cause }: { cause: string }): void {
    this.#stopping = false;
    this.forget();
    const { micropython, ca, absent, reconnect, settings: others } = this.#options;
    const settings = {
      ...others,
      url: this.#url,
      token: this.#token,
      serial: this.serial,
      boot_cause: cause,
      ...(ca === undefined ? {} : { ca }),
      ...(absent === undefined ? {} : { absent }),
      ...(reconnect?.minMs === undefined ? {} : { reconnect_min_ms: reconnect.minMs }),
      ...(reconnect?.maxMs === undefined ? {} : { reconnect_max_ms: reconnect.maxMs }),
    };
    const program = this.#options.program ?? robotProgram;
    const started = new RobotProcess(micropython, program, settings, this.#options.besideKb ?? 0, {
      reported: (event) => {
        this.#options.log?.(JSON.stringify(event));
        if (this.#process === started) this.take(event);
      },
      failed: (line) => this.violation(`micropython: ${line}`),
      ended: () => {
        if (this.#process !== started) return;
        this.#process = null;
        if (!this.#stopping) this.violation('the robot program has ended');
        this.take({ e: 'closed', code: this.#stopping ? 1000 : 1006, reason: 'the program ended', status: null, final: true, retryMs: null });
      },
    });
    this.#process = started;
    this.#send({ c: 'readings', values: this.#readings });
    this.#send({ c: 'faults', settings: this.faults.settings });
  }

  #send(control: Fields): void {
    this.#process?.send(control);
  }
}

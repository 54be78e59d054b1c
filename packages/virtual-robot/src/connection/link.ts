import { Backoff, type ReconnectPace } from './backoff.js';
import { Timers, type Clock } from '../clock.js';
import type { FaultSettings, FaultyLink } from './faults.js';
import { LinkError, type LinkHost } from './link-host.js';
import { readMessage, textBytesMax, type DialReason, type Welcome } from './messages.js';
import type { LinkSocket, OpenSocket, SocketListener } from './socket.js';

const closeWaitMs = 2_000;
/** A service of 0.10 refuses a token as a portal or a proxy does, without a mark. */
const doubtMs = 600_000;
const [unauthorized, revoked] = [401, 4003];
/** Used for a command without `ttl_ms`, which is a violation. */
const ttlMs = 5_000;

export class Link implements FaultyLink {
  readonly #target: { url: string; token: string };
  readonly #open: OpenSocket;
  readonly #host: LinkHost;
  readonly #backoff: Backoff;
  readonly #silenceMs: number;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #redialTimer: Timers;
  #faults!: FaultSettings;
  #socket: LinkSocket | null = null;
  readonly #abandoned = new Set<LinkSocket>();
  #welcome: Welcome | null = null;
  #running = false;
  #frozen = false;
  #dial = 0;
  /** When the first of several answers with 401 and no mark came. */
  #doubtedAt: number | null = null;
  #reason: DialReason = 'start';
  #welcomedAt = 0;
  #receivedAt = 0;
  #starting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #stopping: (() => void)[] = [];

  constructor(
    settings: {
      target: { url: string; token: string };
      open: OpenSocket;
      pace: ReconnectPace;
      silenceMs: number;
      random: () => number;
      clock: Clock;
    },
    host: LinkHost,
  ) {
    this.#target = settings.target;
    this.#open = settings.open;
    this.#backoff = new Backoff(settings.pace, settings.random);
    this.#silenceMs = settings.silenceMs;
    this.#clock = settings.clock;
    this.#timers = new Timers(settings.clock);
    this.#redialTimer = new Timers(settings.clock);
    this.#host = host;
  }

  /** Faults are created after the link, because they act on it. */
  use(faults: FaultSettings): void {
    this.#faults = faults;
  }

  get online(): boolean {
    return this.#welcome !== null;
  }

  get session(): string | null {
    return this.#welcome?.session ?? null;
  }

  get dials(): number {
    return this.#dial;
  }

  /** Resolves at the first welcome, after any number of dials. @throws {LinkError} a final end, or `stop` */
  start(): Promise<void> {
    if (this.online) return Promise.resolve();
    const started = new Promise<void>((resolve, reject) => this.#starting.push({ resolve, reject }));
    if (!this.#running) {
      this.#running = true;
      this.#dialNow();
    }
    return started;
  }

  /** Closes with 1000, and waits up to 2 s until the service has closed too. */
  async stop(): Promise<void> {
    const wasRunning = this.#running;
    this.#running = false;
    this.#redialTimer.stopAll();
    for (const socket of this.#abandoned) socket.terminate();
    this.#abandoned.clear();
    this.#failStarting(new LinkError('stopped', 1000, null));
    const socket = this.#socket;
    if (!socket) {
      if (wasRunning) this.#host.closed({ code: 1000, reason: 'stopped', status: null, pair: false, final: true, retryMs: null });
      return;
    }
    const gone = new Promise<void>((resolve) => this.#stopping.push(resolve));
    if (this.#frozen) socket.terminate();
    else {
      socket.resume();
      socket.close(1000, 'stopped');
    }
    this.#timers.after(closeWaitMs, () => socket.terminate());
    await gone;
  }

  /** Counts dials from 1. */
  boot(reason: DialReason): void {
    this.#dial = 0;
    this.#reason = reason;
    this.#backoff.reset();
    if (this.#running) this.redial(true);
  }

  /** @returns false if there is no session */
  send(message: object): boolean {
    if (!this.#socket || !this.online || this.#frozen) return false;
    const text = JSON.stringify(message);
    this.#host.log(`> ${text}`);
    this.#socket.send(text);
    return true;
  }

  drop(): void {
    this.#frozen = false;
    this.#socket?.terminate();
  }

  halfOpen(): void {
    this.#frozen = true;
    this.#socket?.pause();
  }

  stopReading(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#frozen = false;
    this.#receivedAt = this.#clock.now();
    this.#socket?.resume();
  }

  redial(kill = false): void {
    const old = this.#socket;
    if (old) {
      if (kill) old.terminate();
      else {
        old.pause();
        this.#abandoned.add(old);
      }
    }
    this.#leave();
    this.#redialTimer.stopAll();
    this.#dialNow();
  }

  sendRaw(data: string | Uint8Array): void {
    this.#socket?.send(data);
  }

  #dialNow(): void {
    this.#dial += 1;
    this.#frozen = false;
    this.#receivedAt = this.#clock.now();
    this.#host.log(`dial ${this.#dial} ${this.#target.url}`);
    const current = (): boolean => this.#socket === socket;
    const listener: SocketListener = {
      opened: () => void (current() && this.#opened()),
      text: (text) => void (current() && !this.#frozen && this.#text(text)),
      binary: (bytes) => void (current() && !this.#frozen && this.#binary(bytes)),
      closed: (code, reason) => void (current() ? this.#closed(code, reason) : this.#abandoned.delete(socket)),
      refused: (status, mark) => void (current() && this.#closed(1006, `HTTP ${status}`, { status, mark })),
    };
    const socket: LinkSocket = this.#open(this.#target, listener);
    this.#socket = socket;
    this.#watchSilence();
  }

  #opened(): void {
    this.#doubtedAt = null;
    if (this.#faults.noHello) return;
    const hello = this.#host.hello(this.#dial, this.#reason);
    const text = JSON.stringify(this.#faults.hello ? { ...hello, ...this.#faults.hello } : hello);
    this.#host.log(`> ${text}`);
    this.#socket?.send(text);
  }

  #text(text: string): void {
    this.#receivedAt = this.#clock.now();
    this.#host.log(`< ${text}`);
    const bytes = utf8Length(text);
    if (bytes > textBytesMax) this.#host.violation(`a text frame of ${bytes} bytes, at most ${textBytesMax}`);
    const message = readMessage(text);
    if (message.t === 'malformed') return this.#host.violation(message.problem);
    if (message.t === 'unknown') return;
    if (message.t === 'welcome') return this.#welcomed(message);
    if (!this.online) return this.#host.violation(`${message.t} before the welcome`);
    if (message.t === 'ping') {
      if (!this.#faults.noPing) this.send({ t: 'pong' });
    } else if (message.t === 'cmd') {
      if (message.ttl_ms === undefined) this.#host.violation(`cmd ${message.id} has no ttl_ms`);
      this.#host.command({ ...message, args: message.args ?? {}, ttl_ms: message.ttl_ms ?? ttlMs });
    } else if (message.t === 'in_ack') this.#host.inAck(message.seq);
  }

  #binary(bytes: Uint8Array): void {
    this.#receivedAt = this.#clock.now();
    if (!this.online) return this.#host.violation('a binary frame before the welcome');
    this.#host.binary(bytes);
  }

  #welcomed(welcome: Welcome): void {
    if (this.#welcome) return this.#host.violation('a second welcome');
    if (welcome.v !== 1) this.#host.violation(`welcome.v is ${welcome.v}, offered was 1`);
    this.#welcome = welcome;
    this.#welcomedAt = this.#clock.now();
    this.#reason = 'reconnect';
    this.#timers.every(welcome.ping_ms, () => !this.#faults.noPing && this.send({ t: 'ping' }));
    this.#host.welcomed(welcome);
    for (const { resolve } of this.#starting.splice(0)) resolve();
  }

  /** Terminates the connection if nothing is received: some networks drop connections without closing them. */
  #watchSilence(): void {
    const leftMs = this.#receivedAt + this.#silenceMs - this.#clock.now();
    this.#timers.after(Math.max(leftMs, 10), () => {
      if (!this.#frozen && this.#clock.now() - this.#receivedAt >= this.#silenceMs) this.#socket?.terminate();
      else this.#watchSilence();
    });
  }

  #closed(code: number, reason: string, refused: { status: number; mark: string | null } | null = null): void {
    const { status, mark } = refused ?? { status: null, mark: null };
    const onlineMs = this.#welcome ? this.#clock.now() - this.#welcomedAt : 0;
    const end = this.#running ? this.#backoff.end(code, status, mark) : 'stopped';
    const pair = end === null ? this.#doubts(status) : code === revoked || status === unauthorized;
    const retryMs = end === null ? this.#backoff.waitMs(code, onlineMs) : null;
    this.#leave();
    this.#host.log(`closed ${code} ${reason}${retryMs === null ? '' : `, again in ${Math.round(retryMs)} ms`}`);
    if (retryMs === null) {
      this.#running = false;
      this.#failStarting(new LinkError(`the link ended: ${end}`, code, status));
    } else this.#redialTimer.after(retryMs, () => this.#dialNow());
    this.#host.closed({ code, reason, status, pair, final: retryMs === null, retryMs });
    for (const resolve of this.#stopping.splice(0)) resolve();
  }

  /** No answer at all neither ends nor begins a doubt. @returns whether nothing but 401 without a mark has come for long enough */
  #doubts(status: number | null): boolean {
    if (status === null) return false;
    if (status !== unauthorized) {
      this.#doubtedAt = null;
      return false;
    }
    const now = this.#clock.now();
    this.#doubtedAt ??= now;
    return now - this.#doubtedAt >= doubtMs;
  }

  #leave(): void {
    const wasOnline = this.online;
    this.#timers.stopAll();
    this.#socket = null;
    this.#welcome = null;
    if (wasOnline) this.#host.lost();
  }

  #failStarting(error: Error): void {
    for (const { reject } of this.#starting.splice(0)) reject(error);
  }
}

/** An underestimate, without encoding, if the length cannot exceed the limit. */
function utf8Length(text: string): number {
  return text.length * 3 <= textBytesMax ? text.length : new TextEncoder().encode(text).byteLength;
}

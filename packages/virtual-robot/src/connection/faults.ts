import type { Fields, NackCode } from './messages.js';

export interface FaultSettings {
  /** `'*'`: all commands. */
  neverAck: readonly string[] | '*';
  /** Delays every ack; commands are executed immediately. */
  ackLateMs: number;
  ackTwice: boolean;
  /** Nacks commands instead of executing them; without `names`, every command. */
  nack: { code: NackCode; names?: readonly string[] } | null;
  /** So that a `ttl_ms` can expire. */
  beginLateMs: number;
  /** Treats every picture as corrupt (`hardware`). */
  wrongCrc: boolean;
  noHello: boolean;
  /** Fields that override those of its hello, e.g. `{v: [2]}`. */
  hello: Fields | null;
  /** Sends neither pings nor pongs. */
  noPing: boolean;
  /** Sends no flow reports, so it grants no audio credit. */
  noFlow: boolean;
  /**
   * How an update fails. `download`: with this error, and the robot goes on. `start`: the new program does not start, and the robot comes back with the
   * program before.
   */
  update: { at: 'download' | 'start'; error: string } | null;
}

const healthy: FaultSettings = {
  neverAck: [],
  ackLateMs: 0,
  ackTwice: false,
  nack: null,
  beginLateMs: 0,
  wrongCrc: false,
  noHello: false,
  hello: null,
  noPing: false,
  noFlow: false,
  update: null,
};

export interface FaultyLink {
  drop(): void;
  halfOpen(): void;
  stopReading(): void;
  resume(): void;
  redial(): void;
  sendRaw(data: string | Uint8Array): void;
}

export class Faults {
  readonly settings: FaultSettings;
  readonly #link: FaultyLink;

  constructor(link: FaultyLink, initial: Partial<FaultSettings> = {}) {
    this.#link = link;
    this.settings = { ...healthy, ...initial };
  }

  /** A frozen connection resumes. */
  none(): void {
    Object.assign(this.settings, healthy);
    this.#link.resume();
  }

  neverAck(names: readonly string[] | '*' = '*'): void {
    this.settings.neverAck = names;
  }

  ackLate(ms: number): void {
    this.settings.ackLateMs = ms;
  }

  ackTwice(on = true): void {
    this.settings.ackTwice = on;
  }

  nack(code: NackCode, names?: readonly string[]): void {
    this.settings.nack = names ? { code, names } : { code };
  }

  beginLate(ms: number): void {
    this.settings.beginLateMs = ms;
  }

  failUpdate(at: 'download' | 'start', error = 'the file has another sha256'): void {
    this.settings.update = { at, error };
  }

  wrongCrc(on = true): void {
    this.settings.wrongCrc = on;
  }

  dropConnection(): void {
    this.#link.drop();
  }

  /** Until `resume` or `redial`. The robot does not notice. */
  halfOpen(): void {
    this.#link.halfOpen();
  }

  /** The service's send buffer fills up. */
  stopReading(): void {
    this.#link.stopReading();
  }

  resume(): void {
    this.#link.resume();
  }

  /** Leaves the current connection open and unread, and opens another one. */
  redial(): void {
    this.#link.redial();
  }

  sendRaw(data: string | Uint8Array): void {
    this.#link.sendRaw(data);
  }

  sendGarbage(kind: 'text' | 'binary' = 'text'): void {
    this.#link.sendRaw(kind === 'text' ? '{"t":"in","seq":' : Uint8Array.of(9, 255, 0, 1, 2));
  }

  /** Sends a text frame larger than the link's 16 KB. */
  oversize(bytes = 20_000): void {
    this.#link.sendRaw(JSON.stringify({ t: 'sensors', values: { wifi_ssid: 'x'.repeat(bytes) } }));
  }

  flood(count = 5000, message: Fields = { t: 'sensors', values: { battery_pct: 50 } }): void {
    const text = JSON.stringify(message);
    for (let sent = 0; sent < count; sent += 1) this.#link.sendRaw(text);
  }
}

/** What can be made to go wrong, for tests of the service. Set at construction or at any time after. */

import type { Fields, NackCode } from './messages.js';

export interface FaultSettings {
  /** Carries these commands out (`'*'`: all) and never acks them. */
  neverAck: readonly string[] | '*';
  /** Sends every ack this much later; commands are carried out at once. */
  ackLateMs: number;
  ackTwice: boolean;
  /** Nacks instead of carrying out; without `names`, every command. */
  nack: { code: NackCode; names?: readonly string[] } | null;
  /** Begins each command this much later, so that a `ttl_ms` can run out. */
  beginLateMs: number;
  /** Finds every picture broken (`hardware`). */
  wrongCrc: boolean;
  /** Connects and never says hello. */
  noHello: boolean;
  /** Fields put over those of its hello, e.g. `{v: [2]}`. */
  hello: Fields | null;
  /** Neither pings nor answers one. */
  noPing: boolean;
  /** Gives no audio credit back. */
  noFlow: boolean;
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
};

/** What the faults do to a live connection. */
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

  /** Back to a healthy robot; a frozen connection goes on. */
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

  wrongCrc(on = true): void {
    this.settings.wrongCrc = on;
  }

  /** The TCP connection goes without a close; the robot reconnects as after any loss. */
  dropConnection(): void {
    this.#link.drop();
  }

  /** The connection stays, nothing is read or sent any more, and the robot does not notice; until `resume` or `redial`. */
  halfOpen(): void {
    this.#link.halfOpen();
  }

  /** Goes on sending, reads nothing: the service's buffer for it fills up. */
  stopReading(): void {
    this.#link.stopReading();
  }

  resume(): void {
    this.#link.resume();
  }

  /** Leaves the present connection as it is, unread, and opens another. */
  redial(): void {
    this.#link.redial();
  }

  sendRaw(data: string | Uint8Array): void {
    this.#link.sendRaw(data);
  }

  sendGarbage(kind: 'text' | 'binary' = 'text'): void {
    this.#link.sendRaw(kind === 'text' ? '{"t":"in","seq":' : Uint8Array.of(9, 255, 0, 1, 2));
  }

  /** A text frame over the link's 16 KB. */
  oversize(bytes = 20_000): void {
    this.#link.sendRaw(JSON.stringify({ t: 'sensors', values: { wifi_ssid: 'x'.repeat(bytes) } }));
  }

  /** Sends this many messages in one go. */
  flood(count = 5000, message: Fields = { t: 'sensors', values: { battery_pct: 50 } }): void {
    const text = JSON.stringify(message);
    for (let sent = 0; sent < count; sent += 1) this.#link.sendRaw(text);
  }
}

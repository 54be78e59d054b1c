import type { Cmd, DialReason, Hello, Welcome } from './messages.js';

export interface Closed {
  code: number;
  reason: string;
  status: number | null;
  /**
   * A robot shows a code now, if there is a screen: it was revoked, or the service refused its token by a 401 with `Perch-Link: pair`; it dials on and
   * shows one all the same after ten minutes of nothing but 401 without that header.
   */
  pair: boolean;
  /** Stopped, revoked, no common version, or the token is not valid. */
  final: boolean;
  /** Time until the next dial, ms; null if final. */
  retryMs: number | null;
}

export interface LinkHost {
  hello(dial: number, reason: DialReason): Hello;
  welcomed(welcome: Welcome): void;
  command(cmd: Cmd): void;
  inAck(seq: number): void;
  binary(bytes: Uint8Array): void;
  lost(): void;
  closed(event: Closed): void;
  violation(what: string): void;
  log(line: string): void;
}

export class LinkError extends Error {
  readonly code: number;
  readonly status: number | null;

  constructor(message: string, code: number, status: number | null) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** What the link needs of a WebSocket; how one is made is the host's affair (Node's `ws`, a page's WebSocket). */

export interface LinkSocket {
  send(data: string | Uint8Array): void;
  close(code: number, reason: string): void;
  /** Lets the connection go without a close. */
  terminate(): void;
  /** Reads nothing until `resume`; a host that cannot hold a socket back may do nothing. */
  pause(): void;
  resume(): void;
}

/** Exactly one of `closed` and `refused` comes last. */
export interface SocketListener {
  opened(): void;
  text(text: string): void;
  binary(bytes: Uint8Array): void;
  /** 1006 where there was no close frame, or no connection at all. */
  closed(code: number, reason: string): void;
  /** The upgrade was answered with this HTTP status. */
  refused(status: number): void;
}

export type OpenSocket = (target: { url: string; token: string }, listener: SocketListener) => LinkSocket;

export const subprotocol = 'perch-link.v1';

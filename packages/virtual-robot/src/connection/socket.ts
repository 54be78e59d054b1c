export interface LinkSocket {
  send(data: string | Uint8Array): void;
  close(code: number, reason: string): void;
  terminate(): void;
  /** Does nothing in browsers, which cannot pause a socket. */
  pause(): void;
  resume(): void;
}

/** The last event is exactly one of `closed` and `refused`. */
export interface SocketListener {
  opened(): void;
  text(text: string): void;
  binary(bytes: Uint8Array): void;
  /** `code` is 1006 if there was no close frame, or no connection at all. */
  closed(code: number, reason: string): void;
  /** @param mark the header `Perch-Link`, which the service's own refusals have */
  refused(status: number, mark: string | null): void;
}

export type OpenSocket = (target: { url: string; token: string }, listener: SocketListener) => LinkSocket;

export const subprotocol = 'perch-link.v1';

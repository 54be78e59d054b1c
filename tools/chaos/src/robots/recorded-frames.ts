/** Records the frames between a robot and its robot-link. */

export type Message = Readonly<Record<string, unknown>> & { readonly t: string };

export interface FrameRecorder {
  /** Returns the URL for the next dial. */
  url(): string;
  received(message: Message, connection: number): void;
  sent(message: Message, connection: number): void;
  closed(connection: number): void;
}

export const subprotocol = 'perch-link.v1';
export const linkOptions = { perMessageDeflate: false, maxPayload: 4 * 1024 * 1024, handshakeTimeout: 5000 };
/** Not readings, pings and flow reports. */
const recordedTypes = new Set(['hello', 'welcome', 'cmd', 'ack', 'in', 'in_ack']);

/** @returns null for what is not recorded */
export function readMessage(text: string): Message | null {
  // Check cheaply first: a flood sends thousands of readings.
  if (text.startsWith('{"t":"sensors"') || text.length > 20_000) return null;
  try {
    const message = JSON.parse(text) as Message | null;
    return message !== null && typeof message === 'object' && recordedTypes.has(message.t) ? message : null;
  } catch {
    return null;
  }
}

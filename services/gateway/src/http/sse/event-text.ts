/** The text of server-sent events (HTML Living Standard, 9.2): records with a blank line behind each. */

export interface SseRecord {
  /** Left out: a message. */
  event?: string;
  /** What the client sends as `Last-Event-ID` when it comes again. */
  id?: number;
  /** As JSON, which has no line breaks. Left out: the client only takes note of the id. */
  data?: unknown;
}

export function sseRecord({ event, id, data }: SseRecord): string {
  return `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}${data === undefined ? '' : `data: ${JSON.stringify(data)}\n`}\n`;
}

/** How long a client waits before it comes again, ms. */
export function sseRetry(ms: number): string {
  return `retry: ${Math.round(ms)}\n\n`;
}

/** Keeps what stands between from taking a quiet stream for a dead one. */
export const sseComment = ':\n\n';

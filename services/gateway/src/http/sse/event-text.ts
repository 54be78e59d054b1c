/** Formats server-sent events (HTML Living Standard, 9.2): records, each followed by a blank line. */

export interface SseRecord {
  event?: string;
  id?: number;
  /** Sent as JSON, which has no line breaks. If unset, the client only remembers the id. */
  data?: unknown;
}

export function sseRecord({ event, id, data }: SseRecord): string {
  return `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}${data === undefined ? '' : `data: ${JSON.stringify(data)}\n`}\n`;
}

export function sseRetry(ms: number): string {
  return `retry: ${Math.round(ms)}\n\n`;
}

/** Heartbeat that keeps proxies from closing an idle stream. */
export const sseComment = ':\n\n';

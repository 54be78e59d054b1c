import { headersIn } from '../http/responses.js';

export interface StreamBegun {
  status: number;
  headers: Record<string, string>;
  text: string;
}

export function streamIn(bytes: string): StreamBegun | null {
  const [head = '', ...rest] = bytes.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? Number.NaN);
  const headers = headersIn(lines);
  if (Number.isNaN(status) || rest.length === 0 || !(headers['content-type'] ?? '').startsWith('text/event-stream')) return null;
  // Chunk sizes are on lines of their own, which are not part of the records.
  return { status, headers, text: Buffer.from(rest.join('\r\n\r\n').replaceAll(/(?:\r\n|^)[0-9a-f]+\r\n/g, ''), 'latin1').toString('utf8') };
}

export function streamProblem({ headers, text }: StreamBegun): string | null {
  if (!/\bno-store\b/.test(headers['cache-control'] ?? '')) return 'may be kept by a cache';
  const records = text.split('\n\n').slice(0, -1);
  for (const record of records) {
    const lines = record.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
    const unknown = lines.find((line) => !/^(?:event|id|data|retry): ?/.test(line));
    if (unknown !== undefined) return `a line of a stream that is none: ${unknown.slice(0, 80)}`;
    for (const line of lines.filter((each) => each.startsWith('data:'))) {
      try {
        JSON.parse(line.slice(5));
      } catch {
        return `data that is no JSON: ${line.slice(0, 80)}`;
      }
    }
  }
  return null;
}

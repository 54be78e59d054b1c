/** Answers too long for memory: a client that does not read is sent nothing more, and is disconnected if it does not catch up. */
import { withDeadline } from '@perch/runtime';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { ClientGone } from '../calls/failures.js';
import type { Exchange } from './exchange.js';

const stalledMs = 30_000;

/** Writes, and waits until the socket accepts more. @throws {ClientGone} if the client disconnected, or read nothing for too long */
export async function pacedWrite(response: ServerResponse, parts: readonly (Buffer | string)[], signal: AbortSignal): Promise<void> {
  let writable = true;
  for (const part of parts) writable = response.write(part);
  if (writable) return;
  try {
    await withDeadline(stalledMs, signal, (ended) => once(response, 'drain', { signal: ended }));
  } catch {
    throw new ClientGone();
  }
}

/** Answers with the pieces. A failure of the first one is answered as such; a later one breaks the response off. @throws {ClientGone} as `pacedWrite` */
export async function streamPieces(exchange: Exchange, contentType: string, pieces: AsyncIterator<string>): Promise<void> {
  let piece = await pieces.next();
  const response = exchange.stream(contentType);
  for (; piece.done !== true; piece = await pieces.next()) {
    exchange.time.pause();
    await pacedWrite(response, [piece.value], exchange.signal).finally(() => exchange.time.resume());
  }
  response.end();
}

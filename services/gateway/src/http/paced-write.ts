import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { ClientGone } from '../calls/failures.js';

const stalledMs = 30_000;

/** Writes, and waits until the socket accepts more. @throws {ClientGone} if the client disconnected, or read nothing for too long */
export async function pacedWrite(response: ServerResponse, parts: readonly (Buffer | string)[], signal: AbortSignal): Promise<void> {
  let writable = true;
  for (const part of parts) writable = response.write(part);
  if (writable) return;
  const stalled = AbortSignal.timeout(stalledMs);
  try {
    await once(response, 'drain', { signal: AbortSignal.any([signal, stalled]) });
  } catch {
    throw new ClientGone();
  }
}

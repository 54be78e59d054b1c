/** Sends one command to a local Redis, without ioredis, which only the store may import. */
import { connect } from 'node:net';

/**
 * Returns the raw reply (RESP2) without its type byte and length. @param words must not contain white space or quotes @param options.user to
 * authenticate as, with any password @throws if there is no reply within `timeoutMs`, or with the error text of the server
 */
export function askRedis(
  port: number,
  words: readonly string[],
  { timeoutMs = 2000, user }: { timeoutMs?: number; user?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const auth = user === undefined ? '' : `AUTH ${user} any\r\n`;
    const socket = connect(port, '127.0.0.1', () => socket.write(`${auth}${words.join(' ')}\r\n`));
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`redis on port ${port} did not answer ${words[0] ?? ''} within ${timeoutMs} ms`)));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const reply = completeReply(auth === '' ? text : text.replace(/^\+OK\r\n/, ''));
      if (reply === null) return;
      socket.destroy();
      if (reply instanceof Error) reject(reply);
      else resolve(reply);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`redis on port ${port} closed the connection`)));
  });
}

function completeReply(text: string): string | Error | null {
  const lineEnd = text.indexOf('\r\n');
  if (lineEnd < 0) return null;
  const line = text.slice(1, lineEnd);
  if (text.startsWith('-')) return new Error(line);
  if (!text.startsWith('$')) return line;
  const bytes = Number(line);
  if (bytes < 0) return '';
  const body = Buffer.from(text.slice(lineEnd + 2));
  return body.length >= bytes + 2 ? body.toString('utf8', 0, bytes) : null;
}

/** One command to a Redis on loopback without a client: forming a cluster, asking whether it answers. ioredis stays behind the store's door. */
import { connect } from 'node:net';

/**
 * Sends one inline command and returns the raw reply (RESP2) without its type byte and length.
 * @param words must hold no white space and no quotes
 * @throws when nobody answers within `timeoutMs`, or with the server's own error text
 */
export function askRedis(port: number, words: readonly string[], timeoutMs = 2000): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${words.join(' ')}\r\n`));
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`redis on port ${port} did not answer ${words[0] ?? ''} within ${timeoutMs} ms`)));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const reply = completeReply(text);
      if (reply === null) return;
      socket.destroy();
      if (reply instanceof Error) reject(reply);
      else resolve(reply);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`redis on port ${port} hung up`)));
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

/** Sends one command to a local Redis, without ioredis, which only the store may import. */
import { connect } from 'node:net';

/**
 * Returns the reply (RESP2) as text, a list as a line for each element. @param words must not contain white space or quotes @param options.user to
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

/** Returns null until the reply is complete. */
function completeReply(text: string): string | Error | null {
  if (text.startsWith('-')) return text.includes('\r\n') ? new Error(text.slice(1, text.indexOf('\r\n'))) : null;
  const bytes = Buffer.from(text);
  const elements: string[] = [];
  let from = 0;
  for (let left = 1; left > 0; left -= 1) {
    const lineEnd = bytes.indexOf('\r\n', from);
    if (lineEnd < 0) return null;
    const [type, line] = [String.fromCharCode(bytes[from]!), bytes.toString('utf8', from + 1, lineEnd)];
    from = lineEnd + 2;
    if (type === '*') left += Math.max(0, Number(line));
    else if (type !== '$') elements.push(line);
    else if (Number(line) < 0) elements.push('');
    else {
      const end = from + Number(line);
      if (bytes.length < end + 2) return null;
      elements.push(bytes.toString('utf8', from, end));
      from = end + 2;
    }
  }
  return elements.join('\n');
}

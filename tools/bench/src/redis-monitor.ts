/** Counts the commands that clients send to a Redis server, as it reports them itself: on a Cluster, clients find the nodes past any proxy. */
import { connect, type Socket } from 'node:net';
import { kindOf } from './redis-requests.js';

/** `+1764261660.1 [0 127.0.0.1:4242] "PUBLISH" "channel" "message"`; commands of scripts have `lua` in place of the client. */
const reported = /^\+[\d.]+ \[\d+ (\S+)\] "([^"]+)"(?: "((?:[^"\\]|\\.)*)")?/;

export class RedisMonitor {
  /** By name, of a script by its hash, too. */
  readonly kinds = new Map<string, number>();
  readonly #sockets: Socket[] = [];

  /** @param ports of servers on this machine */
  static async open(ports: readonly number[]): Promise<RedisMonitor> {
    const monitor = new RedisMonitor();
    await Promise.all(ports.map((port) => monitor.#watch(port)));
    return monitor;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #watch(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('MONITOR\r\n'));
      this.#sockets.push(socket);
      socket.setEncoding('latin1');
      socket.once('error', reject);
      socket.once('data', () => resolve());
      let rest = '';
      socket.on('data', (text: string) => {
        const lines = (rest + text).split('\r\n');
        rest = lines.pop() ?? '';
        for (const line of lines) this.#count(line);
      });
    });
  }

  #count(line: string): void {
    const [, client, name = '', firstArgument = ''] = reported.exec(line) ?? [];
    if (client === undefined || client === 'lua') return;
    const kind = kindOf(name.toLowerCase(), firstArgument);
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
  }
}

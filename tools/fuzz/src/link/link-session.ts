import { once } from 'node:events';
import type { Socket } from 'node:net';
import { linkProtocol } from '@perch/schema';
import { WebSocket } from 'ws';

const withinMs = 5000;

export class LinkSession {
  readonly #socket: WebSocket;
  readonly #closed: Promise<number>;
  #onText: (text: string) => void = () => {};
  uses = 0;

  private constructor(url: string, token: string) {
    this.#socket = new WebSocket(url, linkProtocol, { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false });
    this.#socket.on('error', () => {});
    this.#socket.on('message', (data) => this.#onText((data as Buffer).toString('utf8')));
    this.#closed = new Promise((resolve) => this.#socket.on('close', resolve));
  }

  /** @throws if the upgrade is refused */
  static async dial(url: string, token: string): Promise<LinkSession> {
    const session = new LinkSession(url, token);
    await Promise.race([once(session.#socket, 'open'), session.#closed.then(() => Promise.reject(new Error('the upgrade was refused')))]);
    return session;
  }

  /** @param t type of the awaited message @returns `goes on` if it came, else the close code; `silent` if neither did */
  async write(bytes: Buffer, t: string): Promise<'goes on' | 'silent' | number> {
    const received = new Promise<'goes on'>((resolve) => {
      this.#onText = (text) => {
        if (text.includes(`"t":"${t}"`)) resolve('goes on');
      };
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'silent'>((resolve) => (timer = setTimeout(() => resolve('silent'), withinMs)));
    // ws does not expose its socket; bytes it would not send bypass it.
    (this.#socket as unknown as { _socket: Socket })._socket.write(bytes);
    const end = await Promise.race([received, this.#closed, late]);
    clearTimeout(timer);
    return end;
  }

  async close(): Promise<void> {
    this.#socket.close(1000);
    const timer = setTimeout(() => this.#socket.terminate(), withinMs);
    await this.#closed;
    clearTimeout(timer);
  }
}

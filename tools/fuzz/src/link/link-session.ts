/** A robot's connection through which anything can be written: it hears text and learns how it was closed. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { linkProtocol } from '@perch/schema';
import { WebSocket } from 'ws';

const withinMs = 5000;

export class LinkSession {
  readonly #socket: WebSocket;
  readonly #closed: Promise<number>;
  #heard: (text: string) => void = () => {};
  /** How many shapes it has been through. */
  uses = 0;

  private constructor(url: string, token: string) {
    this.#socket = new WebSocket(url, linkProtocol, { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false });
    this.#socket.on('error', () => {});
    this.#socket.on('message', (data) => this.#heard((data as Buffer).toString('utf8')));
    this.#closed = new Promise((resolve) => this.#socket.on('close', resolve));
  }

  /** Dials; nothing is said yet. @throws where the upgrade is refused */
  static async dial(url: string, token: string): Promise<LinkSession> {
    const session = new LinkSession(url, token);
    await Promise.race([once(session.#socket, 'open'), session.#closed.then(() => Promise.reject(new Error('the upgrade was refused')))]);
    return session;
  }

  /** Writes bytes as they are and waits for a message of type `t`. @returns how it ended: `goes on` where that came, else the close code; `silent` where neither did */
  async write(bytes: Buffer, t: string): Promise<'goes on' | 'silent' | number> {
    const heard = new Promise<'goes on'>((resolve) => {
      this.#heard = (text) => {
        if (text.includes(`"t":"${t}"`)) resolve('goes on');
      };
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'silent'>((resolve) => (timer = setTimeout(() => resolve('silent'), withinMs)));
    // ws keeps the connection to itself; what it would not send goes past it.
    (this.#socket as unknown as { _socket: Socket })._socket.write(bytes);
    const end = await Promise.race([heard, this.#closed, late]);
    clearTimeout(timer);
    return end;
  }

  /** Says goodbye where it is still open. */
  async close(): Promise<void> {
    this.#socket.close(1000);
    const timer = setTimeout(() => this.#socket.terminate(), withinMs);
    await this.#closed;
    clearTimeout(timer);
  }
}

/** A robot with a clock that only the test moves: it acks each command at once, with the time that the clock shows. */
import { until } from '@perch/testkit';
import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { hello, opened } from './dial.js';

interface Cmd {
  id: string;
  name: string;
  args: Record<string, unknown>;
}

export class OwnClockRobot {
  /** The robot's clock, ms. */
  ms = 100_000;
  readonly commands: Cmd[] = [];
  /** When each picture came on the screen last, ms. */
  readonly shownAt = new Map<string, number>();
  showing: { card: string | null; question: string | null; emotion: string; view: string };
  #seq = 0;
  #dials = 0;
  #socket: WebSocket | null = null;

  constructor() {
    this.showing = { ...hello.showing };
  }

  async connect(url: string, token: string, fields: object = {}): Promise<void> {
    const socket = await opened(url, token);
    this.#socket = socket;
    this.#dials += 1;
    const welcomed = once(socket, 'message');
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) this.#take(JSON.parse(data.toString()) as { t: string } & Cmd);
    });
    const features = ['screen', 'touch', 'face'];
    socket.send(
      JSON.stringify({
        ...hello,
        dial: this.#dials,
        features,
        screen: { w: 320, h: 240, formats: ['png'], max_bytes: 98_304 },
        showing: this.showing,
        ...fields,
      }),
    );
    await welcomed;
  }

  async shows(layer: 'card' | 'question', id: string): Promise<void> {
    await until(() => this.showing[layer] === id, { what: `${id} on the ${layer} layer`, everyMs: 2 });
  }

  /** Reports a touch that began at this time. */
  touch(downMs: number, { x = 60, y = 170, heldMs = 90, dark = false } = {}): void {
    this.#send({ t: 'in', seq: (this.#seq += 1), ms: downMs, kind: 'touch_down', x, y, ...(dark && { dark }) });
    this.#send({ t: 'in', seq: (this.#seq += 1), ms: downMs + heldMs, kind: 'touch_up', x, y, held_ms: heldMs });
    this.ms = Math.max(this.ms, downMs + heldMs);
  }

  async disconnect(): Promise<void> {
    const socket = this.#socket!;
    const closed = once(socket, 'close');
    socket.terminate();
    await closed;
  }

  #take(message: { t: string } & Cmd): void {
    if (message.t !== 'cmd') return;
    this.commands.push(message);
    const { name, args, id } = message;
    const layer = args['layer'] as 'card' | 'question';
    if (name === 'screen.show') this.showing[layer] = args['id'] as string;
    if (name === 'screen.show') this.shownAt.set(args['id'] as string, this.ms);
    if (name === 'screen.clear' && (args['id'] === undefined || args['id'] === this.showing[layer])) this.showing[layer] = null;
    if (name === 'face') Object.assign(this.showing, args);
    this.#send({ t: 'ack', id, ms: this.ms, ok: true, result: {} });
  }

  #send(message: object): void {
    this.#socket!.send(JSON.stringify(message));
  }
}

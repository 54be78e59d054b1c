/** A constant number of slow clients: a disconnected one reconnects. */
import { connect, type Socket } from 'node:net';
import type { SlowBehaviour } from './slow-behaviours.js';

export interface SlowClientsPlan {
  behaviours: readonly SlowBehaviour[];
  ports: Readonly<Record<SlowBehaviour['port'], number>>;
  held: number;
}

export interface SlowClientsState {
  open: number;
  byWay: Record<string, number>;
  /** Number of reconnects after the service closed a connection or left it unanswered. */
  returned: number;
}

const dropEveryMs = 2000;
/** The bytes of all connections are spread over this many ticks, to avoid bursts. */
const turns = 40;
const dialsPerTurn = 40;

interface ConsoleUser {
  way: SlowBehaviour;
  socket: Socket | null;
  dropped: number;
}

export class SlowClients {
  readonly #plan: SlowClientsPlan;
  readonly #users: ConsoleUser[];
  readonly #timer: NodeJS.Timeout;
  #turn = 0;
  #dials = 0;

  constructor(plan: SlowClientsPlan) {
    this.#plan = plan;
    this.#users = Array.from({ length: plan.held }, (_, i) => ({ way: plan.behaviours[i % plan.behaviours.length]!, socket: null, dropped: 0 }));
    this.#timer = setInterval(() => this.#next(), dropEveryMs / turns);
  }

  get state(): SlowClientsState {
    const byWay: Record<string, number> = {};
    for (const { way, socket } of this.#users) if (socket !== null && !socket.connecting) byWay[way.name] = (byWay[way.name] ?? 0) + 1;
    const open = Object.values(byWay).reduce((sum, count) => sum + count, 0);
    return { open, byWay, returned: Math.max(0, this.#dials - this.#users.length) };
  }

  end(): void {
    clearInterval(this.#timer);
    for (const { socket } of this.#users) socket?.destroy();
  }

  #next(): void {
    const turn = this.#turn++ % turns;
    let dials = 0;
    for (const [i, user] of this.#users.entries()) {
      if (user.socket === null) {
        if (dials++ < dialsPerTurn) this.#dial(user);
      } else if (i % turns === turn) drop(user);
    }
  }

  #dial(user: ConsoleUser): void {
    const { way } = user;
    this.#dials++;
    const socket = connect({ port: this.#plan.ports[way.port], host: '127.0.0.1', noDelay: true });
    user.socket = socket;
    user.dropped = 0;
    const first = way.firsts[this.#dials % way.firsts.length]!;
    socket.on('connect', () => void socket.write(first));
    if (way.reads) socket.resume();
    else socket.pause();
    socket.on('error', () => {}).on('close', () => (user.socket = null));
  }
}

function drop(user: ConsoleUser): void {
  const { way, socket } = user;
  if (way.drops.length === 0 || socket?.writable !== true || socket.connecting) return;
  socket.write(way.drops.subarray(user.dropped % way.drops.length, (user.dropped % way.drops.length) + 1));
  user.dropped++;
}

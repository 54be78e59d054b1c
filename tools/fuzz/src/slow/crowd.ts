/** A constant number of slow clients: a disconnected one reconnects. */
import { connect, type Socket } from 'node:net';
import type { Way } from './ways.js';

export interface CrowdPlan {
  ways: readonly Way[];
  ports: Readonly<Record<Way['port'], number>>;
  held: number;
}

export interface CrowdState {
  /** Number of open connections. */
  open: number;
  /** Open connections by behaviour. */
  byWay: Record<string, number>;
  /** Number of reconnects after the service closed a connection or left it unanswered. */
  returned: number;
}

/** Interval of a connection's bytes, ms. */
const dropEveryMs = 2000;
/** The bytes of all connections are spread over this many ticks, to avoid bursts. */
const turns = 40;
/** Maximum connects per tick. */
const dialsPerTurn = 40;

interface Member {
  way: Way;
  socket: Socket | null;
  dropped: number;
}

export class Crowd {
  readonly #plan: CrowdPlan;
  readonly #members: Member[];
  readonly #timer: NodeJS.Timeout;
  #turn = 0;
  #dials = 0;

  constructor(plan: CrowdPlan) {
    this.#plan = plan;
    this.#members = Array.from({ length: plan.held }, (_, i) => ({ way: plan.ways[i % plan.ways.length]!, socket: null, dropped: 0 }));
    this.#timer = setInterval(() => this.#next(), dropEveryMs / turns);
  }

  get state(): CrowdState {
    const byWay: Record<string, number> = {};
    for (const { way, socket } of this.#members) if (socket !== null && !socket.connecting) byWay[way.name] = (byWay[way.name] ?? 0) + 1;
    const open = Object.values(byWay).reduce((sum, count) => sum + count, 0);
    return { open, byWay, returned: Math.max(0, this.#dials - this.#members.length) };
  }

  end(): void {
    clearInterval(this.#timer);
    for (const { socket } of this.#members) socket?.destroy();
  }

  #next(): void {
    const turn = this.#turn++ % turns;
    let dials = 0;
    for (const [i, member] of this.#members.entries()) {
      if (member.socket === null) {
        if (dials++ < dialsPerTurn) this.#dial(member);
      } else if (i % turns === turn) drop(member);
    }
  }

  #dial(member: Member): void {
    const { way } = member;
    this.#dials++;
    const socket = connect({ port: this.#plan.ports[way.port], host: '127.0.0.1', noDelay: true });
    member.socket = socket;
    member.dropped = 0;
    const first = way.firsts[this.#dials % way.firsts.length]!;
    socket.on('connect', () => void socket.write(first));
    if (way.reads) socket.resume();
    else socket.pause();
    socket.on('error', () => {}).on('close', () => (member.socket = null));
  }
}

function drop(member: Member): void {
  const { way, socket } = member;
  if (way.drops.length === 0 || socket?.writable !== true || socket.connecting) return;
  socket.write(way.drops.subarray(member.dropped % way.drops.length, (member.dropped % way.drops.length) + 1));
  member.dropped++;
}

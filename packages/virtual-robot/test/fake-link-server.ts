/** A minimal server of the robot link (docs/robot-link.md), controlled by tests. */

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { crc32, encodeFrame, VirtualRobot, type Clock, type Fields, type RobotOptions } from '../src/index.js';

type Message = Fields & { t: string };

export async function eventually<T>(look: () => T | undefined | false, timeoutMs = 40_000): Promise<T> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found as T;
    if (performance.now() > until) throw new Error(`not within ${timeoutMs} ms: ${look.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/**
 * A clock whose time passes in steps of 2 ms times the factor, one for each round of the event loop while timers are set: a machine that stalls makes no time
 * pass. A timer runs at exactly the time it is due.
 */
export function fastClock(times: number): Clock {
  const timers = new Set<{ at: number; run: () => void }>();
  let now = 1000;
  let steps: NodeJS.Timeout | undefined;
  const step = (): void => {
    const end = now + 2 * times;
    for (;;) {
      const next = [...timers]
        .filter(({ at }) => at <= end)
        .reduce<{ at: number; run: () => void } | null>((one, other) => (one && one.at <= other.at ? one : other), null);
      if (next === null) break;
      timers.delete(next);
      now = Math.max(now, next.at);
      next.run();
    }
    now = end;
    if (timers.size > 0) return;
    clearInterval(steps);
    steps = undefined;
  };
  return {
    now: () => now,
    setTimeout: (run, ms) => {
      const timer = { at: now + ms, run };
      timers.add(timer);
      steps ??= setInterval(step, 2);
      return timer;
    },
    clearTimeout: (timer) => timers.delete(timer as { at: number; run: () => void }),
  };
}

export class FakeSession {
  readonly socket: WebSocket;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly messages: Message[] = [];
  hello: Message | null = null;
  closeCode: number | null = null;
  #commands = 0;

  constructor(socket: WebSocket, headers: FakeSession['headers']) {
    this.socket = socket;
    this.headers = headers;
    socket.on('close', (code) => (this.closeCode = code));
  }

  of(t: string): Message[] {
    return this.messages.filter((message) => message.t === t);
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  cmd(name: string, args: Fields = {}, { id = `c${++this.#commands}`, ttl = 5000 }: { id?: string; ttl?: number } = {}): string {
    this.send({ t: 'cmd', id, name, args, ttl_ms: ttl });
    return id;
  }

  acks(id: string): Message[] {
    return this.of('ack').filter((ack) => ack['id'] === id);
  }

  ack(id: string): Promise<Message> {
    return eventually(() => this.acks(id)[0]);
  }

  run(name: string, args: Fields = {}): Promise<Message> {
    return this.ack(this.cmd(name, args));
  }

  part(kind: 'picture' | 'audio', stream: number, whole: Uint8Array, from: number, to: number): void {
    this.socket.send(
      encodeFrame({ kind, stream, offset: from, first: from === 0, last: to === whole.byteLength, payload: whole.subarray(from, to) }),
    );
  }

  parts(kind: 'picture' | 'audio', stream: number, whole: Uint8Array, from = 0, to = whole.byteLength): void {
    for (let at = from; at < to; at += 4096) this.part(kind, stream, whole, at, Math.min(at + 4096, to));
  }

  show(layer: 'card' | 'question', id: string, picture: Uint8Array, more: Fields = {}): string {
    const stream = 100 + (this.#commands % 1000);
    const command = this.cmd('screen.show', {
      layer,
      id,
      stream,
      format: 'jpeg',
      bytes: picture.byteLength,
      crc32: crc32(picture),
      ...(layer === 'question' ? { show_ms: 60_000 } : {}),
      ...more,
    });
    this.parts('picture', stream, picture);
    return command;
  }
}

export class FakeLinkServer {
  readonly sessions: FakeSession[] = [];
  /** The highest acknowledged input by boot id, as Redis would keep it. */
  readonly marks = new Map<string, number>();
  welcome: Fields = {};
  tokens: Set<string> | null = null;
  /** False: its 401 is as that of a service of 0.10.0. */
  marksRefusals = true;
  /** Answered to GET, by path. */
  readonly files = new Map<string, Uint8Array>();
  #http: Server | null = null;

  async start(): Promise<this> {
    const http = createServer(({ url = '' }, response) => {
      const file = this.files.get(url);
      response.writeHead(file === undefined ? 404 : 200).end(file);
    });
    const server = new WebSocketServer({
      server: http,
      perMessageDeflate: false,
      handleProtocols: (offered) => (offered.has('perch-link.v1') ? 'perch-link.v1' : false),
      verifyClient: ({ req }, answer) => {
        const token = req.headers.authorization?.replace('Bearer ', '') ?? /bearer\.(\S+)/.exec(req.headers['sec-websocket-protocol'] ?? '')?.[1];
        answer(this.tokens === null || this.tokens.has(token ?? ''), 401, undefined, this.marksRefusals ? { 'perch-link': 'pair' } : {});
      },
    });
    this.#http = http;
    server.on('connection', (socket, request) => this.#connected(new FakeSession(socket, request.headers)));
    await new Promise((resolve) => http.listen(0, '127.0.0.1', () => resolve(undefined)));
    return this;
  }

  async stop(): Promise<void> {
    for (const { socket } of this.sessions) socket.terminate();
    this.#http?.closeAllConnections();
    await new Promise((resolve) => this.#http?.close(resolve));
  }

  get url(): string {
    assert.ok(this.#http);
    const { port } = this.#http.address() as AddressInfo;
    return `ws://127.0.0.1:${port}/robot/v1/link`;
  }

  session(nth: number): Promise<FakeSession> {
    return eventually(() => {
      const session = this.sessions[nth - 1];
      return session?.hello ? session : undefined;
    });
  }

  #connected(session: FakeSession): void {
    this.sessions.push(session);
    session.socket.on('message', (data: Buffer) => {
      let message: Message;
      try {
        message = JSON.parse(data.toString('utf8')) as Message;
      } catch {
        return session.socket.close(4400);
      }
      session.messages.push(message);
      if (message.t !== 'hello') return;
      session.hello = message;
      session.send({
        t: 'welcome',
        v: 1,
        session: `s-${this.sessions.length}`,
        time_ms: 1_790_000_000_000,
        sensors_ms: 2000,
        ping_ms: 15_000,
        in_ack: this.marks.get(String(message['boot_id'])) ?? 0,
        ...this.welcome,
      });
    });
  }
}

export interface ConnectedRobot {
  server: FakeLinkServer;
  robot: VirtualRobot;
  session: FakeSession;
}

export function withRobot(
  options: Partial<RobotOptions> & { tokenIn?: 'header' | 'subprotocol'; welcome?: Fields },
  run: (connected: ConnectedRobot) => Promise<void>,
) {
  return async (): Promise<void> => {
    const { welcome = {}, ...robotOptions } = options;
    const server = await new FakeLinkServer().start();
    server.welcome = welcome;
    const robot = new VirtualRobot({ url: server.url, token: 'rt_test', reconnect: { minMs: 20, maxMs: 200 }, instant: true, ...robotOptions });
    try {
      await robot.start();
      await run({ server, robot, session: await server.session(1) });
    } finally {
      await robot.stop();
      await server.stop();
    }
  };
}

export function bytes(count: number, seed = 1): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: count }, () => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) >> 16);
}

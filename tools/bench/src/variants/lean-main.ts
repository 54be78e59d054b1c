/** L, the minimum: one process, node:http and ws, everything in memory, the same checks. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from '@perch/schema';
import { WebSocketServer, type WebSocket } from 'ws';
import { serve } from '../worker.js';
import { ackWithinMs, actionPath, bodyOf, failureOf, keyOf, ledsCommand, okJson, type Tenant } from './checks.js';
import { MemoryAdmission } from './memory-admission.js';

interface Session {
  socket: WebSocket;
  readings: Record<string, unknown>;
}

interface RobotFrame {
  t: string;
  id: string;
  ok: boolean;
  values: Record<string, unknown>;
}

const sessions = new Map<string, Session>();
const awaited = new Map<string, (answer: { ok: boolean }) => void>();
let commands = 0;

async function act(admission: MemoryAdmission, request: IncomingMessage): Promise<void> {
  const robot = actionPath.exec(request.url ?? '')?.[1] ?? '';
  admission.admit(keyOf(request.headers.authorization), robot);
  const command = ledsCommand(JSON.parse(await bodyOf(request)));
  const session = sessions.get(robot);
  if (session === undefined) throw new ApiError('robot_offline', 'The robot is offline.');
  const id = `c${++commands}`;
  session.socket.send(JSON.stringify({ t: 'cmd', id, ...command, ttl_ms: ackWithinMs }));
  const { ok } = await new Promise<{ ok: boolean }>((resolve) => {
    const timer = setTimeout(() => resolve({ ok: false }), ackWithinMs);
    awaited.set(id, (answer) => {
      clearTimeout(timer);
      awaited.delete(id);
      resolve(answer);
    });
  });
  if (!ok) throw new ApiError('no_ack', 'The robot did not confirm.');
}

async function onRequest(admission: MemoryAdmission, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let answer = { status: 200, json: okJson };
  try {
    await act(admission, request);
  } catch (error) {
    answer = failureOf(error);
  }
  response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer.json) });
  response.end(answer.json);
}

function onRobot(robot: string, socket: WebSocket): void {
  const session: Session = { socket, readings: {} };
  sessions.set(robot, session);
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as RobotFrame;
    if (frame.t === 'ack') awaited.get(frame.id)?.(frame);
    else if (frame.t === 'sensors') session.readings = frame.values;
    else if (frame.t === 'ping') socket.send('{"t":"pong"}');
    else if (frame.t === 'hello') socket.send('{"t":"welcome"}');
  });
  socket.on('error', () => {});
  socket.on('close', () => sessions.delete(robot));
}

async function start(tenant: Tenant): Promise<string> {
  const admission = new MemoryAdmission(tenant);
  const tokens = new Map(tenant.robots.map(({ id, token }) => [`Bearer ${token}`, id]));
  const server = createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (request, response) => void onRequest(admission, request, response));
  const sockets = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false });
  server.on('upgrade', (request, socket, head) => {
    const robot = tokens.get(request.headers.authorization ?? '');
    if (robot === undefined) socket.destroy();
    else sockets.handleUpgrade(request, socket, head, (webSocket) => onRobot(robot, webSocket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

serve({ start });

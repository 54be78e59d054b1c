/** Second process of the variant S+: socket.io holds the robots. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdapter } from '@socket.io/redis-adapter';
import { Server } from 'socket.io';
import { serve } from '../worker.js';
import type { Tenant } from './checks.js';
import { publisher, subscriber } from './socket-io-redis.js';

interface RobotData {
  robot: string;
  readings: Record<string, unknown>;
}

type Quiet = Record<string, never>;

interface FromRobot {
  sensors(values: Record<string, unknown>): void;
}

async function start(redisUrl: string, { robots }: Tenant): Promise<string> {
  const tokens = new Map(robots.map(({ id, token }) => [token, id]));
  const http = createServer();
  const io = new Server<FromRobot, Quiet, Quiet, RobotData>(http, {
    transports: ['websocket'],
    adapter: createAdapter(publisher(redisUrl), subscriber(redisUrl)),
  });
  io.use((socket, next) => {
    const { robot, token } = socket.handshake.auth as { robot: string; token: string };
    if (tokens.get(token) !== robot) return next(new Error('unauthorized'));
    socket.data.robot = robot;
    next();
  });
  io.on('connection', (socket) => {
    void socket.join(socket.data.robot);
    socket.on('sensors', (values) => {
      socket.data.readings = values;
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return `ws://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

serve({ start });

/** The HTTP part of S+ and A+: express without the two headers that nobody reads, the checks, and a way to send the command to the robot. */
import type { AddressInfo } from 'node:net';
import { ApiError } from '@perch/schema';
import express, { type ErrorRequestHandler } from 'express';
import type { RobotCommand } from '../robots/plain-robot.js';
import { failureOf, keyOf, ledsCommand, okJson } from './checks.js';
import type { RedisAdmission } from './redis-admission.js';

export type Carry = (robot: string, command: RobotCommand) => Promise<boolean>;

export async function startExpressGateway(admission: RedisAdmission, carry: Carry): Promise<string> {
  const act = async (authorization: string | undefined, robot: string, body: unknown): Promise<void> => {
    await admission.admit(keyOf(authorization), robot);
    if (!(await carry(robot, ledsCommand(body)))) throw new ApiError('no_ack', 'The robot did not confirm.');
  };
  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  app.use(express.json());
  app.post('/v1/robots/:robot/leds', (request, response, next) => {
    act(request.headers.authorization, request.params.robot, request.body).then(() => response.type('application/json').send(okJson), next);
  });
  const failed: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    const { status, json } = failureOf(error);
    response.status(status).type('application/json').send(json);
  };
  app.use(failed);
  const server = await new Promise<ReturnType<typeof app.listen>>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  server.keepAliveTimeout = 65_000;
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

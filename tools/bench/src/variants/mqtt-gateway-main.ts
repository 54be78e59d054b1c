/** M, first process: node:http; commands and answers go over one connection to mosquitto, whose writes are corked for an event-loop iteration. */
import mqtt, { type Packet } from 'mqtt-packet';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { ApiError } from '@perch/schema';
import type { RobotCommand } from '../robots/plain-robot.js';
import { serve } from '../worker.js';
import { ackWithinMs, actionPath, bodyOf, failureOf, keyOf, ledsCommand, okJson, type Tenant } from './checks.js';
import type { MqttUser } from './mosquitto-main.js';
import { RedisAdmission } from './redis-admission.js';

const answerTo = 'ack/gateway';

class Broker {
  readonly #socket: Socket;
  readonly #awaited = new Map<string, (ok: boolean) => void>();
  #commands = 0;
  #isCorked = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** @throws if the broker refuses it */
  static open(url: string, { name, password }: MqttUser): Promise<Broker> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      const broker = new Broker(socket);
      const parser = mqtt.parser({ protocolVersion: 4 });
      socket.on('connect', () => broker.#send({ cmd: 'connect', ...session, clientId: name, username: name, password: Buffer.from(password) }));
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the broker hung up')));
      socket.on('data', (data) => parser.parse(data));
      parser.on('error', reject);
      parser.on('packet', (packet: Packet) => {
        if (packet.cmd === 'publish') broker.#answered(packet.payload.toString());
        else if (packet.cmd === 'connack' && packet.returnCode === 0) {
          broker.#send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: answerTo, qos: 0 }] });
        } else if (packet.cmd === 'connack') reject(new Error(`the broker refused: ${packet.returnCode}`));
        else if (packet.cmd === 'suback') resolve(broker);
      });
    });
  }

  /** @returns whether the robot confirmed it */
  command(robot: string, command: RobotCommand): Promise<boolean> {
    return new Promise((resolve) => {
      const id = `c${++this.#commands}`;
      const settle = (ok: boolean): void => {
        clearTimeout(timer);
        this.#awaited.delete(id);
        resolve(ok);
      };
      const timer = setTimeout(() => settle(false), ackWithinMs);
      this.#awaited.set(id, settle);
      const payload = JSON.stringify({ id, answerTo, ...command });
      this.#send({ cmd: 'publish', topic: `cmd/${robot}`, payload, qos: 0, dup: false, retain: false });
    });
  }

  #answered(text: string): void {
    const { id, ok } = JSON.parse(text) as { id: string; ok: boolean };
    this.#awaited.get(id)?.(ok);
  }

  #send(packet: Packet): void {
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      setImmediate(() => {
        this.#isCorked = false;
        this.#socket.uncork();
      });
    }
    mqtt.writeToStream(packet, this.#socket);
  }
}

const session = { protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 0 } as const;

async function onRequest(admission: RedisAdmission, broker: Broker, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let answer = { status: 200, json: okJson };
  try {
    const robot = actionPath.exec(request.url ?? '')?.[1] ?? '';
    const body = bodyOf(request);
    await admission.admit(keyOf(request.headers.authorization), robot);
    if (!(await broker.command(robot, ledsCommand(JSON.parse(await body))))) throw new ApiError('no_ack', 'The robot did not confirm.');
  } catch (error) {
    answer = failureOf(error);
  }
  response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer.json) });
  response.end(answer.json);
}

async function start(redisUrl: string, tenant: Tenant, brokerUrl: string, user: MqttUser): Promise<string> {
  const admission = await RedisAdmission.open(redisUrl, tenant);
  const broker = await Broker.open(brokerUrl, user);
  const server = createServer(
    { noDelay: true, keepAliveTimeout: 65_000 },
    (request, response) => void onRequest(admission, broker, request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

serve({ start });

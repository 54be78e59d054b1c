/** A+, second process: an MQTT broker (Aedes) holds the robots. */
import { createServer, type AddressInfo } from 'node:net';
import { Aedes } from 'aedes';
import redisEmitter from 'mqemitter-redis';
import { serve } from '../worker.js';
import { emitterOptions } from './aedes-redis.js';
import type { Tenant } from './checks.js';

async function start(redisUrl: string, { robots }: Tenant): Promise<string> {
  const tokens = new Map(robots.map(({ id, token }) => [id, token]));
  const readings = new Map<string, unknown>();
  const broker = await Aedes.createBroker({
    mq: redisEmitter(emitterOptions(redisUrl)),
    authenticate: (_client, username, password, done) => done(null, tokens.get(username ?? '') === password?.toString()),
  });
  // Reports are stored and not forwarded, as in Perch.
  broker.authorizePublish = (client, packet, callback) => {
    if (client === null || !packet.topic.startsWith('sensors/')) return callback(null);
    readings.set(client.id, JSON.parse(packet.payload.toString()));
    callback(null);
  };
  const server = createServer({ noDelay: true }, (socket) => void broker.handle(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

serve({ start });

/** A+, first process: express; commands go through Aedes' Redis emitter to the broker that holds the robot, and answers return on a topic. */
import { Aedes } from 'aedes';
import redisEmitter from 'mqemitter-redis';
import { serve } from '../worker.js';
import { emitterOptions } from './aedes-redis.js';
import { ackWithinMs, type Tenant } from './checks.js';
import { startExpressGateway } from './express-gateway.js';
import { RedisAdmission } from './redis-admission.js';

const answerTo = 'ack/gateway';

async function start(redisUrl: string, tenant: Tenant): Promise<string> {
  const admission = await RedisAdmission.open(redisUrl, tenant);
  const broker = await Aedes.createBroker({ mq: redisEmitter(emitterOptions(redisUrl)) });
  const awaited = new Map<string, (ok: boolean) => void>();
  let commands = 0;
  await new Promise<void>((resolve) => {
    broker.subscribe(
      answerTo,
      (packet, done) => {
        const { id, ok } = JSON.parse(packet.payload.toString()) as { id: string; ok: boolean };
        awaited.get(id)?.(ok);
        done();
      },
      resolve,
    );
  });
  return startExpressGateway(
    admission,
    (robot, command) =>
      new Promise((resolve, reject) => {
        const id = `c${++commands}`;
        const settle = (ok: boolean): void => {
          clearTimeout(timer);
          awaited.delete(id);
          resolve(ok);
        };
        const timer = setTimeout(() => settle(false), ackWithinMs);
        awaited.set(id, settle);
        const payload = JSON.stringify({ id, answerTo, ...command });
        broker.publish({ cmd: 'publish', topic: `cmd/${robot}`, payload, qos: 0, dup: false, retain: false }, (error) => {
          if (error) reject(error);
        });
      }),
  );
}

serve({ start });

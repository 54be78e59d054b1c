/** S+, first process: express; commands go through socket.io's Redis adapter to the process that holds the robot. */
import { createAdapter } from '@socket.io/redis-adapter';
import { Server } from 'socket.io';
import { serve } from '../worker.js';
import { ackWithinMs, type Tenant } from './checks.js';
import { startExpressGateway } from './express-gateway.js';
import { RedisAdmission } from './redis-admission.js';
import { publisher, subscriber } from './socket-io-redis.js';

async function start(redisUrl: string, tenant: Tenant): Promise<string> {
  const admission = await RedisAdmission.open(redisUrl, tenant);
  const io = new Server({ adapter: createAdapter(publisher(redisUrl), subscriber(redisUrl)) });
  return startExpressGateway(admission, async (robot, command) => {
    const answers = (await io.to(robot).timeout(ackWithinMs).emitWithAck('cmd', command)) as { ok: boolean }[];
    return answers.length === 1 && answers[0]?.ok === true;
  });
}

serve({ start });

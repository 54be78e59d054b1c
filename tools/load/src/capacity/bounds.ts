/** Bounds on the number of robots with default settings, and which is reached first. */
import { defaultMediaBounds, jobShardsMax, checkAllEveryMs, mediaLifeMs, overheadBytes } from '@perch/store';
import type { Costs } from './costs.js';
import type { Cpu } from './fleet-size.js';
import { rounded } from './rounded.js';

export interface Bound {
  robots: number;
  what: string;
  why: string;
  remedy: string;
}

/** Duration of one check of all robots that webhooks subscribe to, measured without services. */
export interface WebhookCheck {
  robots: number;
  /** ms for all robots, in accounts of 100 robots, and in one account. */
  small_accounts_ms: number;
  one_account_ms: number;
}

/** Maximum bytes of a picture for the robots of docs/robot-link.md. */
const photoBytes = 98_304;
const mb = 2 ** 20;
/** A few accounts cannot use up the reserved half of the budget (docs/operate/size.md). */
const fairPartFactor = 4 / 3;
const photosPerMinute = 1;

export function boundsOf(costs: Costs, cpu: Cpu, look: WebhookCheck): Bound[] {
  const photoS = photosPerMinute / 60;
  const mediaBytesPerRobot = (photoBytes + overheadBytes) * photoS * (mediaLifeMs / 1000);
  const queueMs = costs.cards.Redis * photoS;
  const oneRedis = (1 - cpu.own.Redis) / cpu.perRobot.Redis;
  const checkMs = look.small_accounts_ms / look.robots;
  const slowCheckMs = look.one_account_ms / look.robots;
  const bounds: Bound[] = [
    {
      robots: (defaultMediaBounds.mb * mb) / mediaBytesPerRobot,
      what: `pictures in Redis: PERCH_MEDIA_MB (${defaultMediaBounds.mb})`,
      why: `a new photograph of ${Math.round(photoBytes / 1000)} kB a minute at each robot, kept ${mediaLifeMs / 1000} s; calls beyond get 503 storage_full`,
      remedy: `raise PERCH_MEDIA_MB: ${rounded((mediaBytesPerRobot * 10_000 * fairPartFactor) / mb)} for 10,000 such robots, and maxmemory with it`,
    },
    {
      robots: 1000 / queueMs,
      what: 'the one node of the job queues: PERCH_JOB_SHARDS (1)',
      why: `a new picture a minute at each robot costs that node ${shown(costs.cards.Redis)} ms of its one core`,
      remedy: `PERCH_JOB_SHARDS up to ${jobShardsMax} on a Redis Cluster: ${rounded((1000 / queueMs) * jobShardsMax)} robots`,
    },
    {
      robots: checkAllEveryMs / checkMs,
      what: 'the check of all robots that webhooks want',
      why: `one job checks every robot that a webhook wants once in ${checkAllEveryMs / 1000} s, which takes ${shown(checkMs)} ms each (${shown(slowCheckMs)} ms in accounts above 100 robots); beyond, events whose notification was lost are sent later than that`,
      remedy: 'no setting helps; all other events are sent without delay',
    },
    {
      robots: oneRedis,
      what: 'one Redis',
      why: 'all commands of the default mix fill its one core',
      remedy: 'a Redis Cluster',
    },
  ];
  return bounds.toSorted((a, b) => a.robots - b.robots);
}

function shown(ms: number): string {
  return ms >= 10 ? ms.toFixed(0) : ms.toPrecision(2);
}

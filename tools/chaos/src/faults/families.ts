import { accountFlood } from './account-flood.js';
import { balancerDies } from './balancer-dies.js';
import { choppedPrograms } from './chopped-programs.js';
import { choppedRedis } from './chopped-redis.js';
import { choppedRobots } from './chopped-robots.js';
import { clockAhead } from './clock-ahead.js';
import { clockBehind } from './clock-behind.js';
import { cutPrograms } from './cut-programs.js';
import { cutRedis } from './cut-redis.js';
import { cutRedisLine } from './cut-redis-line.js';
import { cutRobots } from './cut-robots.js';
import { drainGateway } from './drain-gateway.js';
import { drainRenderer } from './drain-renderer.js';
import { drainRobotLink } from './drain-robot-link.js';
import { drainWebhooks } from './drain-webhooks.js';
import { failOverCluster } from './fail-over-cluster.js';
import { fillDisk } from './fill-disk.js';
import { fillMemory } from './fill-memory.js';
import { flushScripts } from './flush-scripts.js';
import { freezeClusterMaster } from './freeze-cluster-master.js';
import { freezeGateway } from './freeze-gateway.js';
import { freezeRedis } from './freeze-redis.js';
import { freezeRenderer } from './freeze-renderer.js';
import { freezeRobotLink } from './freeze-robot-link.js';
import { freezeWebhooks } from './freeze-webhooks.js';
import { halfOpenPrograms } from './half-open-programs.js';
import { halfOpenRedis } from './half-open-redis.js';
import { halfOpenRobots } from './half-open-robots.js';
import { halfSentBodies } from './half-sent-bodies.js';
import { heldRedis } from './held-redis.js';
import { heldRobots } from './held-robots.js';
import { killClusterMaster } from './kill-cluster-master.js';
import { killGateway } from './kill-gateway.js';
import { killRedis } from './kill-redis.js';
import { killRedisClients } from './kill-redis-clients.js';
import { killRedisSubscribers } from './kill-redis-subscribers.js';
import { killRenderer } from './kill-renderer.js';
import { killRobotLink } from './kill-robot-link.js';
import { killWebhooks } from './kill-webhooks.js';
import { oldVersion } from './old-version.js';
import { pauseRedis } from './pause-redis.js';
import { replaceAll } from './replace-all.js';
import { restoreOlderRedis } from './restore-older-redis.js';
import { robotAckLate } from './robot-ack-late.js';
import { robotAckTwice } from './robot-ack-twice.js';
import { robotDuplicateSession } from './robot-duplicate-session.js';
import { robotFlood } from './robot-flood.js';
import { robotGarbage } from './robot-garbage.js';
import { robotHalfOpen } from './robot-half-open.js';
import { robotNeverAck } from './robot-never-ack.js';
import { robotReconnectStorm } from './robot-reconnect-storm.js';
import { robotStopReading } from './robot-stop-reading.js';
import { robotTakeOver } from './robot-take-over.js';
import { robotUnreadableInput } from './robot-unreadable-input.js';
import { slowRedis } from './slow-redis.js';
import { slowRobots } from './slow-robots.js';
import { starveCpu } from './starve-cpu.js';
import type { Fault } from './fault.js';

/** Faults of service processes. */
export const processFaults: readonly Fault[] = [
  killGateway,
  killRobotLink,
  killRenderer,
  killWebhooks,
  freezeGateway,
  freezeRobotLink,
  freezeRenderer,
  freezeWebhooks,
  drainGateway,
  drainRobotLink,
  drainRenderer,
  drainWebhooks,
  clockAhead,
  clockBehind,
  starveCpu,
];

/**
 * Faults of operation: replacing instances, and the load balancer in front. Not combined by two-at-once: two of them depend on what the machine has.
 */
export const operationFaults: readonly Fault[] = [oldVersion, replaceAll, balancerDies];

/** Faults of connections between programs, robots, services and Redis. */
export const lineFaults: readonly Fault[] = [
  cutPrograms,
  halfOpenPrograms,
  choppedPrograms,
  cutRobots,
  halfOpenRobots,
  heldRobots,
  slowRobots,
  choppedRobots,
  cutRedis,
  cutRedisLine,
  halfOpenRedis,
  heldRedis,
  slowRedis,
  choppedRedis,
];

/** Faults of Redis itself. */
export const redisFaults: readonly Fault[] = [
  killRedis,
  freezeRedis,
  restoreOlderRedis,
  fillDisk,
  fillMemory,
  pauseRedis,
  killRedisClients,
  killRedisSubscribers,
  flushScripts,
  killClusterMaster,
  freezeClusterMaster,
  failOverCluster,
];

/** Load by programs of another account. */
export const accountFaults: readonly Fault[] = [accountFlood, halfSentBodies];

/** Faults of robots. */
export const robotFaults: readonly Fault[] = [
  robotNeverAck,
  robotAckLate,
  robotAckTwice,
  robotGarbage,
  robotUnreadableInput,
  robotFlood,
  robotStopReading,
  robotReconnectStorm,
  robotHalfOpen,
  robotDuplicateSession,
  robotTakeOver,
];

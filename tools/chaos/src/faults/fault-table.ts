/** Every fault except `none` and `two-at-once`, by family; docs/chaos.md describes each. The order is part of a seed's meaning. */
import type { System } from '../system/system.js';
import { accountFlood } from './accounts/account-flood.js';
import { halfSentBodies } from './accounts/half-sent-bodies.js';
import {
  choppedConnections,
  cutConnections,
  halfOpenConnections,
  heldConnections,
  programs,
  redis,
  robots,
  slowConnections,
} from './connections/connections.js';
import { cutRedisConnection } from './connections/cut-redis-connection.js';
import { forgetIdle } from './connections/forget-idle.js';
import { misbehaviours, type Fault } from './fault.js';
import { balancerDies } from './operation/balancer-dies.js';
import { oldVersion } from './operation/old-version.js';
import { replaceAll } from './operation/replace-all.js';
import { drain, freeze, kill } from './processes/processes.js';
import { skewClock } from './processes/skewed-clock.js';
import { starveCpu } from './processes/starve-cpu.js';
import { evictingPolicy } from './redis/evicting-policy.js';
import { failOverAddress } from './redis/fail-over-address.js';
import { failOverCluster } from './redis/fail-over-cluster.js';
import { fillDisk } from './redis/fill-disk.js';
import { fillMemory } from './redis/fill-memory.js';
import { freezeClusterMaster } from './redis/freeze-cluster-master.js';
import { freezeRedis } from './redis/freeze-redis.js';
import { killClusterMaster } from './redis/kill-cluster-master.js';
import { killMasterAfterRevocation } from './redis/kill-master-after-revocation.js';
import { killRedis } from './redis/kill-redis.js';
import { maxClients } from './redis/max-clients.js';
import { pauseRedis } from './redis/pause-redis.js';
import { repeatCommand } from './redis/redis-commands.js';
import { refuseCommand } from './redis/refuse-command.js';
import { restoreOlderRedis } from './redis/restore-older-redis.js';
import { misbehavingRobots } from './robots/misbehaving-robots.js';
import { robotTakeOver } from './robots/robot-take-over.js';

const gateways = (system: System) => system.gateways;
const links = (system: System) => system.links;
const renderers = (system: System) => system.renderers;
const senders = (system: System) => system.senders;

export const processFaults: readonly Fault[] = [
  kill('kill-gateway', gateways),
  kill('kill-robot-link', links),
  kill('kill-renderer', renderers),
  kill('kill-webhooks', senders),
  freeze('freeze-gateway', gateways),
  freeze('freeze-robot-link', links),
  freeze('freeze-renderer', renderers),
  freeze('freeze-webhooks', senders),
  drain('drain-gateway', gateways),
  drain('drain-robot-link', links),
  drain('drain-renderer', renderers),
  drain('drain-webhooks', senders),
  skewClock('clock-ahead', 1),
  skewClock('clock-behind', -1),
  starveCpu,
];

/** Not combined by two-at-once: two of them depend on what the machine has. */
export const operationFaults: readonly Fault[] = [oldVersion, replaceAll, balancerDies];

export const connectionFaults: readonly Fault[] = [
  cutConnections('cut-programs', programs),
  halfOpenConnections('half-open-programs', programs),
  choppedConnections('chopped-programs', programs),
  cutConnections('cut-robots', robots),
  halfOpenConnections('half-open-robots', robots),
  heldConnections('held-robots', robots),
  slowConnections('slow-robots', robots),
  choppedConnections('chopped-robots', robots),
  cutConnections('cut-redis', redis),
  cutRedisConnection,
  halfOpenConnections('half-open-redis', redis),
  heldConnections('held-redis', redis),
  slowConnections('slow-redis', redis),
  choppedConnections('chopped-redis', redis),
  forgetIdle,
];

export const redisFaults: readonly Fault[] = [
  killRedis,
  freezeRedis,
  restoreOlderRedis,
  fillDisk,
  fillMemory,
  pauseRedis,
  repeatCommand('kill-redis-clients', ['CLIENT', 'KILL', 'TYPE', 'normal'], [400, 1500]),
  repeatCommand('kill-redis-subscribers', ['CLIENT', 'KILL', 'TYPE', 'pubsub'], [400, 1500]),
  repeatCommand('flush-scripts', ['SCRIPT', 'FLUSH'], [20, 400]),
  killClusterMaster,
  freezeClusterMaster,
  failOverCluster,
  failOverAddress,
  refuseCommand,
  evictingPolicy,
  maxClients,
  killMasterAfterRevocation,
];

export const accountFaults: readonly Fault[] = [accountFlood, halfSentBodies];

export const robotFaults: readonly Fault[] = [...misbehaviours.map(misbehavingRobots), robotTakeOver];

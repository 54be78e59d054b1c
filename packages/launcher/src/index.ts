/** Starts the built services as processes on one machine, for `npm start` and for tests of the whole system. */
export { startCluster, type Cluster, type ClusterOptions } from './cluster.js';
export { environmentOf } from './service-environment.js';
export { startService, type ServiceName, type ServiceProcess } from './service-process.js';
export { redisAccessTo } from './open-redis.js';

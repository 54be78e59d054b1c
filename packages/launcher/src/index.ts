export { startCluster, type Cluster, type ClusterOptions } from './cluster.js';
export { environmentOf } from './service-process.js';
export { micropythonInPlaceOf } from './micropython-in-place.js';
export { startService, type ServiceName, type ServiceProcess } from './service-process.js';
export { redisAccessTo } from './open-redis.js';
export { LaunchedSystem, type RobotOptions, type TestRobot, type LaunchedSystemOptions } from './launched-system.js';

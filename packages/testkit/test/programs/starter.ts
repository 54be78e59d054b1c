/** Starts a Redis (`process` or `embedded`), prints its pid and port, and waits to be killed. */
import { findRedisServer, startEmbeddedRedis, startRedisProcess } from '@perch/local-redis';

const binary = findRedisServer(process.env);
const server = process.argv[2] === 'process' && binary !== null ? await startRedisProcess({ binary }) : await startEmbeddedRedis();
process.stdout.write(`${server.pid} ${server.port}\n`);

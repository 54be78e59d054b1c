/** Reads the health of an instance until it counts as dead, in a process of its own. */
import { redisAt, redisUrl, until } from '@perch/testkit';
import { openStore } from '../../src/index.js';

const instance = process.argv[2]!;
const store = await openStore({ ...redisAt(await redisUrl()), instance: 'test-reader' });
await until(async () => (await store.instances.health([instance])).get(instance) === 'gone');
await store.close();

/** Test service for lifecycle.test.ts and lifecycle.long.test.ts with three parts that log their start and stop; argv[2] selects a misbehaviour. */
import { StartRefused } from '@perch/schema/plain';
// Not from index.js, which loads five times as much in each of the test's processes.
import { Lifecycle, type Part } from '../../src/service/lifecycle.js';
import { createLogger } from '../../src/log.js';
import { announceReady } from '../../src/service/run-service.js';

const behaviour = process.argv[2] ?? '';
const log = createLogger({ level: 'info', service: 'gateway', instance: 'gw-test00' });
const drainDelayMs = { 'short-delay': 300, 'long-delay': 600_000 }[behaviour] ?? 0;
const lifecycle = new Lifecycle({ log, stopMs: behaviour === 'hangs' ? 200 : 20_000, drainDelayMs });

function part(name: string): Part {
  return {
    name,
    async start(signal) {
      log.info(`start ${name}`);
      if (name !== 'second') return;
      if (behaviour === 'start-fails') throw new Error('no port');
      if (behaviour === 'start-refused') throw new StartRefused('The data is newer. Start release 9.');
      if (behaviour === 'starts-slowly') await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
    async stop(signal) {
      log.info(`stop ${name}`);
      await Promise.resolve();
      if (name !== 'second') return;
      if (behaviour === 'stop-fails') throw new Error('stuck');
      if (behaviour === 'hangs') await new Promise(() => signal.addEventListener('abort', () => log.info('abort second')));
      if (behaviour === 'stops-slowly') await new Promise(() => undefined);
      if (behaviour === 'throws')
        await new Promise((resolve) =>
          setImmediate(() => {
            setImmediate(resolve);
            throw new Error('again');
          }),
        );
    },
  };
}

// Keeps the process alive, as a server does.
setInterval(() => undefined, 60_000);
process.on('message', (message) => {
  if (message === 'throw') throw new Error('nobody caught this');
  if (message === 'reject') void Promise.reject(new Error('nobody awaited this'));
});

await lifecycle.run([part('first'), part('second'), part('third')]);
announceReady({ service: 'gateway', instance: 'gw-test00', address: 'http://127.0.0.1:1', admin: 'http://127.0.0.1:2' }, log);

import { QueueCalls } from './queue-calls.js';
import { Stops } from './stops.js';
import { WaitCalls } from './wait-calls.js';
import { WaitReader } from './wait-reader.js';
import { DetachedWaitSweep, WaitSettler } from './wait-settler.js';
import type { WaitServices } from './wait.js';

export type Waits = ReturnType<typeof createWaits>;

/** Returns what opens, follows, reads and ends waits. */
export function createWaits(services: WaitServices) {
  const settler = new WaitSettler(services);
  const sweep = new DetachedWaitSweep(services, settler);
  return {
    calls: new WaitCalls(services, settler),
    queue: new QueueCalls(services, settler),
    stops: new Stops(services.store),
    reader: new WaitReader(services, settler),
    settler,
    start: (): void => sweep.start(),
    stop: (): Promise<void> => sweep.stop(),
  };
}

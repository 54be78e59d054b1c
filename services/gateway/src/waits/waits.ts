/** Wires what opens, follows, reads and ends waits. */
import type { Logger } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { KeyValidity } from '../calls/key-validity.js';
import type { OpenCalls } from '../calls/open-calls.js';
import type { Replies } from '../robots/replies.js';
import type { RobotDirectory } from '../robots/robot-directory.js';
import { QueueCalls } from './queue-calls.js';
import { Stops } from './stops.js';
import { WaitCalls } from './wait-calls.js';
import { WaitReader } from './wait-reader.js';
import { DetachedWaitSweep, WaitSettler } from './wait-settler.js';

export interface WaitsOptions {
  store: Store;
  directory: RobotDirectory;
  replies: Replies;
  openCalls: OpenCalls;
  keyValidity: KeyValidity;
  log: Logger;
}

export interface Waits {
  calls: WaitCalls;
  queue: QueueCalls;
  stops: Stops;
  reader: WaitReader;
  settler: WaitSettler;
  start(): void;
  stop(): Promise<void>;
}

export function createWaits({ store, directory, replies, openCalls, keyValidity, log }: WaitsOptions): Waits {
  const settler = new WaitSettler(store, directory);
  const sweep = new DetachedWaitSweep({ store, directory, settler, log });
  return {
    calls: new WaitCalls({ store, directory, replies, openCalls, keyValidity, settler }),
    queue: new QueueCalls({ store, directory, openCalls, keyValidity, settler }),
    stops: new Stops(store),
    reader: new WaitReader({ store, openCalls, keyValidity, settler }),
    settler,
    start: () => sweep.start(),
    stop: () => sweep.stop(),
  };
}

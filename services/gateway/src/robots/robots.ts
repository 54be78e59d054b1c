import type { Logger } from '@perch/runtime';
import type { Store, UnreadableReason } from '@perch/store';
import type { KeyValidity } from '../calls/key-validity.js';
import { Replies } from './replies.js';
import { RobotCommands } from './robot-commands.js';
import { RobotDirectory, RobotNames } from './robot-directory.js';
import { RobotListReader } from './robot-list-reader.js';
import { RobotStates } from './robot-states.js';

export interface RobotsOptions {
  store: Store;
  keyValidity: KeyValidity;
  replyUnreadable: (reason: UnreadableReason) => void;
  log: Logger;
}

export type Robots = ReturnType<typeof createRobots>;

/** Returns where robots are, and what sends them commands. */
export function createRobots({ store, keyValidity, replyUnreadable, log }: RobotsOptions) {
  const directory = new RobotDirectory(store);
  const replies = new Replies(store.instance);
  const list = new RobotListReader(store);
  return {
    directory,
    names: new RobotNames(list),
    list,
    states: new RobotStates(store, directory, replies),
    commands: new RobotCommands(store, directory, replies, keyValidity),
    replies,
    start: (): Promise<void> =>
      replies.receive(store, ({ id, reason, claimedType }) => {
        replyUnreadable(reason);
        log.warn({ reason, type: claimedType, id }, 'received an unreadable reply from another instance');
      }),
    stop: (): Promise<void> => replies.stop(),
  };
}

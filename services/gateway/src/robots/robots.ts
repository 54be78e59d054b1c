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
  let endReplies: () => Promise<void> = async () => {};
  return {
    directory,
    names: new RobotNames(list),
    list,
    states: new RobotStates(store, directory, replies),
    commands: new RobotCommands(store, directory, replies, keyValidity),
    replies,
    /** Receives the replies of robot-links from now on. @throws {StoreError} */
    async start(): Promise<void> {
      endReplies = await store.gatewayMailbox.receive(store.instance, (message) => void replies.deliver(message), {
        unreadable({ id, reason, claimedType }) {
          replyUnreadable(reason);
          log.warn({ reason, type: claimedType, id }, 'received an unreadable reply from another instance');
          // The robot may have executed the command, and no other reply will follow.
          replies.settle(id, { t: 'late' });
        },
      });
    },
    stop: (): Promise<void> => endReplies(),
  };
}

/** The virtual robot for Node: the core with a socket of `ws`. */

import { openWith } from './connection/node-socket.js';
import type { RobotOptions } from './options.js';
import { RobotCore } from './robot-core.js';

export class VirtualRobot extends RobotCore {
  constructor({ tokenIn = 'header', ...options }: RobotOptions & { tokenIn?: 'header' | 'subprotocol' }) {
    super({ ...options, open: openWith(tokenIn) });
  }
}

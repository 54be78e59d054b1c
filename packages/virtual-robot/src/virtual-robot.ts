import { openWith } from './connection/node-socket.js';
import type { RobotOptions } from './options.js';
import { RobotCore } from './robot-core.js';

/** The virtual robot for Node. It sends its token in a header or, as one in a browser must, as a subprotocol. */
export class VirtualRobot extends RobotCore {
  constructor({ tokenIn = 'header', ...options }: RobotOptions & { tokenIn?: 'header' | 'subprotocol' }) {
    super({ ...options, open: openWith(tokenIn) });
  }
}

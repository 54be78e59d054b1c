import { openInBrowser } from './connection/browser-socket.js';
import type { RobotOptions } from './options.js';
import { RobotCore } from './robot-core.js';

export class BrowserRobot extends RobotCore {
  constructor(options: RobotOptions) {
    super({ ...options, open: openInBrowser });
  }
}

import type { Store } from '@perch/store';
import { Person, VirtualRobot } from '@perch/virtual-robot';
import { ClickmapPerson } from './clickmap-person.js';

export interface DemoRobot {
  stop(): Promise<void>;
}

/** Resolves when the robot is online. @param options.person whether a simulated person answers @throws if it is not online within `withinMs` */
export async function startDemoRobot(options: {
  url: string;
  id: string;
  token: string;
  person: boolean;
  waits: Store['waits'];
  withinMs: number;
}): Promise<DemoRobot> {
  const robot = new VirtualRobot({ url: options.url, token: options.token });
  const timer = setTimeout(() => void robot.stop(), options.withinMs);
  try {
    await robot.start();
  } catch (error) {
    throw new Error(`the demo robot did not come online: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  const person = options.person ? new Person(robot) : null;
  const clickmaps = options.person ? new ClickmapPerson({ waits: options.waits, robot: options.id, body: robot }) : null;
  await clickmaps?.start();
  return {
    stop() {
      person?.stop();
      clickmaps?.stop();
      return robot.stop();
    },
  };
}

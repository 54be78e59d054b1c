/** The robot of `npm start`: a virtual one, and somebody who sits at it. */
import { Person, VirtualRobot } from '@perch/virtual-robot';

export interface DemoRobot {
  stop(): Promise<void>;
}

/**
 * Connects it and resolves when a robot-link has welcomed it.
 * @param options.person whether somebody answers its questions
 * @throws when it is not welcomed within `withinMs`
 */
export async function startDemoRobot(options: { url: string; token: string; person: boolean; withinMs: number }): Promise<DemoRobot> {
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
  return {
    stop() {
      person?.stop();
      return robot.stop();
    },
  };
}

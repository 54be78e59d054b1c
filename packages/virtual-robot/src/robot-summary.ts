import type { RobotCore } from './robot-core.js';

/** Returns a robot's state in one line, for failed tests. */
export function summaryOf({ screen, commands, online, dials, playing, inputs, lastClosed, violations }: RobotCore): string {
  return JSON.stringify({
    online,
    dials,
    card: screen.card?.id ?? null,
    question: screen.question?.id ?? null,
    playing: playing?.id ?? null,
    inputs: `${inputs.acked}/${inputs.seq}`,
    last: commands.slice(-3).map(({ id, name, outcome }) => `${id} ${name} ${outcome}`),
    closed: lastClosed?.code ?? null,
    violations: violations.slice(-3),
  });
}

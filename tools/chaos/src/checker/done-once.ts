/** No command is sent to a robot twice: the outcome of the first is unknown, so the robot might execute it twice. */
import type { Command } from '../history/records.js';
import { keyedCalls } from './attempts.js';
import { groupBy, violationOf, within, type Evidence, type Guarantee } from './evidence.js';

const name = 'no command is done twice';

export const doneOnce: Guarantee = {
  name,
  promise:
    'A command of a call reaches a robot at most once, even if the call is repeated under its Idempotency-Key through any gateway; unless the robot refused the first.',
  check(evidence) {
    const { commands } = evidence.history;
    const again = mayComeAgain(evidence);
    // A clickmap's picture has the id of its wait, and is redrawn if a robot reconnects without it.
    const marked = commands.filter((command) => command.mark !== null && !again(command));
    const refused = refusedCommands(evidence);
    // A card of the queue that the robot refused may be sent again.
    const pictures = commands.filter(
      (command) => command.picture?.layer === 'card' && !command.picture.id.startsWith('w') && !refused.has(nameOf(command)),
    );
    const shown = groupBy(pictures, ({ robot, picture }) => `${robot} picture ${picture?.crc32}`);
    const groups = [
      ...groupBy(marked, ({ robot, mark }) => `${robot} ${mark}`),
      // A card that was sent while Redis lost what it stored is in the queue again.
      ...[...shown].filter(([, came]) => !within(evidence.loss, came[0]!.at, came[0]!.at)),
    ];
    return groups.flatMap(([what, came]) => {
      const ids = new Set(came.map(({ boot, id }) => `${boot}/${id}`));
      if (ids.size < 2) return [];
      const [first] = came;
      return [
        violationOf(
          name,
          `${what} came ${ids.size} times: ${[...ids].join(', ')}`,
          { robot: first!.robot, at: first!.at, to: came.at(-1)!.at },
          'doubled',
        ),
      ];
    });
  },
};

/** Calls under a key are retried if the robot refused them, which has no effect, or if Redis lost its record of the call. */
function mayComeAgain({ history, loss }: Evidence): (command: Command) => boolean {
  const refused = refusedCommands({ history });
  const keyed = new Map(
    keyedCalls(history).map((attempts) => {
      const [first] = attempts;
      const mark = first!.asked.kind === 'marked' ? first!.asked.mark : '';
      return [`${first!.robot} ${mark}`, within(loss, first!.at, Math.max(...attempts.map(({ at, endedAt }) => endedAt ?? at)))] as const;
    }),
  );
  return (command) => {
    const isLost = keyed.get(`${command.robot} ${command.mark}`);
    return isLost !== undefined && (isLost || refused.has(nameOf(command)));
  };
}

function refusedCommands({ history }: Pick<Evidence, 'history'>): ReadonlySet<string> {
  return new Set(history.acks.filter(({ ok }) => !ok).map(nameOf));
}

function nameOf({ robot, boot, id }: Pick<Command, 'robot' | 'boot' | 'id'>): string {
  return `${robot} ${boot} ${id}`;
}

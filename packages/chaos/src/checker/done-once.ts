/** No command is sent to a robot twice: what it did with the first is not known, so it might do it twice. */
import { groupBy, violationOf, type Guarantee } from './evidence.js';

const name = 'no command is done twice';

export const doneOnce: Guarantee = {
  name,
  promise: 'A command that a call brought about reaches a robot at most once.',
  check({ history }) {
    // A clickmap's picture goes by its wait's number, and is drawn again where a robot comes back without it.
    const marked = history.commands.filter(({ mark }) => mark !== null);
    const pictures = history.commands.filter(({ picture }) => picture?.layer === 'card' && !picture.id.startsWith('w'));
    const groups = [
      ...groupBy(marked, ({ robot, mark }) => `${robot} ${mark}`),
      ...groupBy(pictures, ({ robot, picture }) => `${robot} picture ${picture?.crc32}`),
    ];
    return groups.flatMap(([what, commands]) => {
      const ids = new Set(commands.map(({ boot, id }) => `${boot}/${id}`));
      if (ids.size < 2) return [];
      const [first] = commands;
      return [
        violationOf(name, `${what} came ${ids.size} times: ${[...ids].join(', ')}`, { robot: first!.robot, at: first!.at, to: commands.at(-1)!.at }),
      ];
    });
  },
};

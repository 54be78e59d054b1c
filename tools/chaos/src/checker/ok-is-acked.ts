/** `ok` means that the robot acked. */
import type { Ack, Call, Command } from '../history/records.js';
import type { History } from '../history/history.js';
import { callsAsMeant } from './attempts.js';
import { answeredWith, callText, groupBy, isOk, violationOf, type Guarantee, type Violation } from './evidence.js';
import { matching } from './matching.js';

const name = 'ok means acked';

export const okIsAcked: Guarantee = {
  name,
  promise: 'An action is answered ok only if the robot acked it during the call.',
  check({ history }) {
    const acked = ackedCommands(history);
    const calls = callsAsMeant(history).filter(isOk);
    return [...marked(calls, acked), ...unmarked(calls, acked)];
  },
};

interface Acked {
  command: Command;
  ack: Ack;
}

function ackedCommands({ commands, acks }: History): Acked[] {
  const good = groupBy(
    acks.filter(({ ok }) => ok),
    ({ robot, boot, id }) => `${robot} ${boot} ${id}`,
  );
  return commands.flatMap((command) => {
    const ack = good.get(`${command.robot} ${command.boot} ${command.id}`)?.[0];
    return ack === undefined ? [] : [{ command, ack }];
  });
}

function marked(calls: readonly Call[], acked: readonly Acked[]): Violation[] {
  const byMark = groupBy(acked, ({ command }) => `${command.robot} ${command.mark}`);
  return calls.flatMap((call) => {
    if (call.asked.kind !== 'marked') return [];
    const found = (byMark.get(`${call.robot} ${call.asked.mark}`) ?? []).some((each) => isDuring(call, each));
    return found ? [] : [notAcked(call)];
  });
}

function unmarked(all: readonly Call[], acked: readonly Acked[]): Violation[] {
  const calls = all.filter((call) => call.asked.kind === 'unmarked' && answeredWith(call)?.body['replaced'] !== true);
  const byCommand = groupBy(acked, ({ command }) => `${command.robot} ${command.name}`);
  const groups = groupBy(calls, ({ robot, asked }) => `${robot} ${asked.kind === 'unmarked' ? asked.command : ''}`);
  return [...groups].flatMap(([key, group]) => {
    const candidates = byCommand.get(key) ?? [];
    const edges = group.map((call) => candidates.flatMap((each, i) => (isDuring(call, each) ? [i] : [])));
    const partners = matching(edges);
    return group.filter((_, i) => partners[i] === null).map(notAcked);
  });
}

function isDuring({ at, endedAt }: Call, { command, ack }: Acked): boolean {
  return command.at >= at && ack.at <= (endedAt ?? Infinity);
}

function notAcked(call: Call): Violation {
  return violationOf(
    name,
    `${callText(call)}: the robot acked no such command by then`,
    {
      robot: call.robot,
      at: call.at,
      to: call.endedAt ?? call.at,
    },
    'lost',
  );
}

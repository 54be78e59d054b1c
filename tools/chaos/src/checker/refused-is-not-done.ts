/** A call answered as not done has no effect, and nothing is done after the answer. */
import { neverSent } from '../programs/did-nothing.js';
import { callsAsMeant } from './attempts.js';
import { answeredWith, callText, groupBy, violationOf, type Evidence, type Guarantee } from './evidence.js';
import type { Call, Command } from '../history/records.js';

const name = 'what was refused is not done';

/** Answer and command travel over different connections, ms. */
const crossingMs = 300;

export const refusedIsNotDone: Guarantee = {
  name,
  promise:
    'A refused call reaches no robot; no command reaches a healthy robot after its call was answered as failed, unless the answer was that the outcome is unknown.',
  check(evidence) {
    const { history } = evidence;
    const byMark = groupBy(history.commands, ({ mark }) => mark ?? '');
    return callsAsMeant(history).flatMap((call) => {
      const answer = answeredWith(call);
      if (call.asked.kind !== 'marked' || answer === null || answer.status === 200) return [];
      return (byMark.get(call.asked.mark) ?? []).flatMap((command) => {
        const about = { robot: command.robot, at: call.at, to: Math.max(command.at, call.endedAt ?? 0) };
        if (neverSent.has(String(answer.body['code'])))
          return [violationOf(name, `${callText(call)} reached ${command.robot} as ${command.id}`, about)];
        // The robot may still do it.
        if (answer.body['code'] === 'outcome_unknown') return [];
        const lateMs = command.at - (call.endedAt ?? Infinity);
        if (lateMs <= crossingMs + evidence.stallMs(call.at, command.at) || !isLineWell(evidence, call, command)) return [];
        return [violationOf(name, `${callText(call)} reached ${command.robot} ${lateMs.toFixed(0)} ms after its answer`, about)];
      });
    });
  },
};

/** A slowed or replaced connection, and a robot that does not read, deliver late what was written in time. */
function isLineWell({ history, links }: Evidence, call: Call, command: Command): boolean {
  const session = history.sessions.find(({ robot, session: id }) => robot === command.robot && id === command.session);
  if (session === undefined || history.sessions.some(({ robot, at }) => robot === command.robot && at > session.at && at <= command.at)) return false;
  const link = links.get(session.link);
  const well = link !== undefined && link.running.throughout(call.at, command.at) && link.reachable.throughout(call.at, command.at);
  return well && !history.misbehaving.some(({ robot, from, to }) => robot === command.robot && from <= command.at && to >= call.at);
}

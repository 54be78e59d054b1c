/** Nothing of one account, robot or call reaches another. */
import { answeredWith, callText, groupBy, violationOf, type Evidence, type Guarantee, type Violation } from './evidence.js';
import { readsOf } from './reads.js';
import type { Body, Call } from '../history/records.js';

const name = 'accounts, robots and calls are isolated';

export const isolation: Guarantee = {
  name,
  promise: "No command, event or answer of one account, robot or call reaches another's.",
  check(evidence) {
    return [...foreignRobots(evidence), ...commands(evidence), ...events(evidence), ...answers(evidence)];
  },
};

/** Reports answers about another account's robots: they must be answered as unknown. */
function foreignRobots({ history }: Evidence): Violation[] {
  const accountOf = new Map(history.robots.map(({ id, account }) => [id, account]));
  return history.calls.flatMap((call) => {
    const answer = answeredWith(call);
    const about = { robot: call.robot === '' ? null : call.robot, at: call.at, to: call.endedAt ?? call.at };
    if (call.action === 'robots' && answer?.status === 200) {
      const listed = (answer.body['robots'] ?? []) as { id: string }[];
      const foreign = listed.filter(({ id }) => accountOf.get(id) !== call.account);
      return foreign.length === 0 ? [] : [violationOf(name, `${callText(call)} lists ${foreign.map(({ id }) => id).join(', ')}`, about)];
    }
    if (call.robot === '' || accountOf.get(call.robot) === call.account || answer === null) return [];
    // A gateway that drains, or cannot reach its storage, does not look up the robot.
    return answer.status === 404 || answer.status === 503 ? [] : [violationOf(name, `${callText(call)} by another account`, about)];
  });
}

function commands({ history }: Evidence): Violation[] {
  const calls = new Map<string, Call>();
  for (const call of history.calls) if (call.asked.kind === 'marked') calls.set(call.asked.mark, call);
  return history.commands.flatMap(({ mark, robot, at, id }) => {
    const call = mark === null ? undefined : calls.get(mark);
    const own = call !== undefined && call.robot === robot && ownerOf(robot, history.robots) === call.account;
    if (mark === null || own) return [];
    return [
      violationOf(name, `${robot} was sent ${id} ${mark}, ${call === undefined ? 'which no call asked for' : `which ${callText(call)} asked for`}`, {
        robot,
        at,
      }),
    ];
  });
}

function ownerOf(robot: string, robots: readonly { id: string; account: string }[]): string | undefined {
  return robots.find(({ id }) => id === robot)?.account;
}

function events(evidence: Evidence): Violation[] {
  const gestures = groupBy(
    evidence.history.gestures.filter(({ unique }) => unique),
    ({ name: event, data }) => `${event} ${data}`,
  );
  return readsOf(evidence.history).flatMap(({ call, events: read }) =>
    read.flatMap((event) => {
      const made = gestures.get(`${event.name} ${event.data}`)?.[0];
      if (made === undefined || made.robot === call.robot) return [];
      return [violationOf(name, `${callText(call)} has event ${event.seq} of ${made.robot}`, { robot: call.robot, at: call.at })];
    }),
  );
}

function answers({ history }: Evidence): Violation[] {
  return history.calls.flatMap((call) => {
    const answer = answeredWith(call);
    if (answer?.status !== 200) return [];
    const wrong = wrongAnswer(call, answer.body);
    return wrong === null ? [] : [violationOf(name, `${callText(call)}: ${wrong}`, { robot: call.robot, at: call.at, to: call.endedAt ?? call.at })];
  });
}

function wrongAnswer({ asked }: Call, body: Body): string | null {
  if (asked.kind === 'marked') {
    const [action, value] = asked.mark.split(' ');
    return action === 'move' && String(body['yaw']) !== value ? `not the yaw that was asked for` : null;
  }
  if (asked.kind !== 'wait' || body['outcome'] !== 'answered') return null;
  const given = body[asked.action === 'ask' ? 'answer' : asked.action === 'menu' ? 'item' : 'region'];
  return asked.answers[Number(body['index'])] === given ? null : `${String(given)} is not its answer at that index`;
}

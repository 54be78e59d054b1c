/** Event numbers are never reused, and gapless except for jumps after another Redis process became master. */
import { groupBy, violationOf, within, type Evidence, type Guarantee, type Violation } from './evidence.js';
import { finalLogs, isFinal, readsOf, type Read } from './reads.js';

const name = 'event numbers are gapless and never used twice';

export const numbers: Guarantee = {
  name,
  promise: 'A number identifies one event forever; numbers are consecutive, and jump only if another Redis process took over.',
  check(evidence) {
    return [...reused(evidence), ...gaps(evidence), ...vanished(evidence)];
  },
};

function reused({ history }: Evidence): Violation[] {
  return [...groupBy(readsOf(history), ({ call }) => call.robot)].flatMap(([robot, reads]) => {
    const seen = new Map<number, { text: string; at: number }>();
    return reads.flatMap(({ call, events }) =>
      events.flatMap((event) => {
        const text = `${event.name} ${event.data}`;
        const at = call.endedAt ?? call.at;
        const before = seen.get(event.seq);
        if (before === undefined) seen.set(event.seq, { text, at });
        if (before === undefined || before.text === text) return [];
        return [violationOf(name, `${event.seq} of ${robot} was ${before.text} and is ${text}`, { robot, at: before.at, to: at })];
      }),
    );
  });
}

function gaps({ history, renumbered }: Evidence): Violation[] {
  return [...finalLogs(history)].flatMap(([robot, { call, events }]) =>
    events.flatMap(({ seq }, i) => {
      const before = events[i - 1]?.seq ?? 0;
      if (seq === before + 1 || (renumbered && seq > before)) return [];
      return [
        violationOf(name, `${robot}: ${seq} follows ${before}, and no other Redis process took over`, { robot, at: 0, to: call.endedAt ?? call.at }),
      ];
    }),
  );
}

function vanished(evidence: Evidence): Violation[] {
  const logs = finalLogs(evidence.history);
  return readsOf(evidence.history).flatMap((read) => {
    const log = logs.get(read.call.robot);
    if (log === undefined || isFinal(read)) return [];
    const kept = new Set(log.events.map(({ seq }) => seq));
    return read.events.filter(({ seq }) => !kept.has(seq) && !mayBeLost(evidence, read)).map(({ seq }) => vanishedViolation(read, seq));
  });
}

/** An event is stored some time before it is read, and a reader may receive it late. */
function mayBeLost({ loss }: Evidence, { call }: Read): boolean {
  return within(loss, -Infinity, call.endedAt ?? call.at) && (call.endedAt ?? 0) >= (loss?.from ?? Infinity);
}

function vanishedViolation({ call }: Read, seq: number): Violation {
  return violationOf(name, `${seq} of ${call.robot} was read, and vanished`, { robot: call.robot, at: call.at, to: call.endedAt ?? call.at });
}

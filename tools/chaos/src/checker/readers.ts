/** A reader that continues from `last_seq` receives every later event once and in order, from any gateway. */
import { callText, groupBy, violationOf, type Evidence, type Guarantee, type Violation } from './evidence.js';
import { finalLogs, isFinal, readsOf, type Read } from './reads.js';

const name = 'readers miss nothing and read nothing twice';

export const readers: Guarantee = {
  name,
  promise: 'A reader that continues from last_seq receives each event of the log once, in order, through any gateway, and last_seq never decreases.',
  check(evidence) {
    const reads = readsOf(evidence.history);
    const logs = finalLogs(evidence.history);
    return [
      ...reads.flatMap((read) => page(read)),
      ...disagreeing(reads),
      ...[...groupBy(reads, ({ reader }) => reader)].flatMap(([, own]) => missed(own, logs, evidence)),
    ];
  },
};

function page(read: Read): Violation[] {
  const { call, events, after, lastSeq, names } = read;
  const problem = (what: string): Violation[] => [
    violationOf(name, `${callText(call)}: ${what}`, { robot: call.robot, at: call.at, to: call.endedAt ?? call.at }),
  ];
  if (lastSeq < after) return problem(`last_seq ${lastSeq} lies before after ${after}`);
  const seqs = [after, ...events.map(({ seq }) => seq)];
  if (seqs.some((seq, i) => i > 0 && seq <= seqs[i - 1]!)) return problem(`numbers ${seqs.join(', ')}`);
  if (seqs.at(-1)! > lastSeq) return problem(`last_seq ${lastSeq} lies before event ${seqs.at(-1)}`);
  const foreign = names === null ? undefined : events.find((event) => !names.includes(event.name));
  return foreign === undefined ? [] : problem(`${foreign.name} was not asked for`);
}

/** Reports gateways with different logs at the end of the round, when nothing happens any more. */
function disagreeing(reads: readonly Read[]): Violation[] {
  return [...groupBy(reads.filter(isFinal), ({ call }) => call.robot)].flatMap(([robot, finals]) => {
    const texts = new Set(finals.map(({ events }) => JSON.stringify(events)));
    return texts.size === 1
      ? []
      : [violationOf(name, `${robot}: the gateways answer ${texts.size} different logs`, { robot, at: finals[0]!.call.at })];
  });
}

/** Reports events that a reader's answer skipped although `last_seq` passed them. */
function missed(reads: readonly Read[], logs: ReadonlyMap<string, Read>, { loss }: Evidence): Violation[] {
  return reads.flatMap((read) => {
    const { call, after, lastSeq, names, events } = read;
    const log = logs.get(call.robot);
    if (log === undefined || isFinal(read)) return [];
    const given = new Set(events.map(({ seq }) => seq));
    // The log was different in an answer from before the loss.
    if (loss !== null && (call.endedAt ?? 0) <= loss.to) return [];
    return log.events
      .filter(({ seq, name: event }) => seq > after && seq <= lastSeq && !given.has(seq) && (names === null || names.includes(event)))
      .map(({ seq }) =>
        violationOf(
          name,
          `${callText(call)} covers up to ${lastSeq} and passes over ${seq}`,
          {
            robot: call.robot,
            at: call.at,
            to: call.endedAt ?? call.at,
          },
          'lost',
        ),
      );
  });
}

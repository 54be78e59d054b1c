import type { History } from '../history/history.js';
import { canonicalEvent, type Body, type Call, type ReadEvent } from '../history/records.js';
import { finalReader } from '../programs/reader.js';
import { answeredWith } from './evidence.js';

export interface Read {
  call: Call;
  reader: string;
  after: number;
  names: readonly string[] | null;
  events: readonly ReadEvent[];
  lastSeq: number;
  firstSeq: number | null;
}

export function readsOf(history: History): Read[] {
  return history.calls
    .flatMap((call) => {
      const answer = answeredWith(call);
      if (call.asked.kind !== 'read' || answer?.status !== 200) return [];
      return [{ call, reader: call.asked.reader, after: call.asked.after, names: call.asked.names, ...pageOf(answer.body) }];
    })
    .toSorted((a, b) => (a.call.endedAt ?? 0) - (b.call.endedAt ?? 0));
}

/** From the last complete read of each robot. */
export function finalLogs(history: History): Map<string, Read> {
  const logs = new Map<string, Read>();
  for (const read of readsOf(history)) if (isFinal(read)) logs.set(read.call.robot, read);
  return logs;
}

export function isFinal({ reader }: Read): boolean {
  return reader.startsWith(finalReader);
}

function pageOf(body: Body): { events: ReadEvent[]; lastSeq: number; firstSeq: number | null } {
  const events = ((body['events'] ?? []) as { seq: number; at: string; name: string; data: unknown }[]).map(({ seq, at, name, data }) => ({
    seq,
    at: Date.parse(at) - performance.timeOrigin,
    name,
    data: canonicalEvent(data),
  }));
  return { events, lastSeq: Number(body['last_seq']), firstSeq: body['first_seq'] === null ? null : Number(body['first_seq']) };
}

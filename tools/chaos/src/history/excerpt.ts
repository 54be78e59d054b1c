/** The part of a history that a violation is about, as readable lines. */
import type { Stall } from '../machine/stalls.js';
import type { History } from './history.js';
import type { Call, Ending } from './records.js';

const linesMax = 60;
const charsMax = 240;

export interface About {
  robot: string | null;
  from: number;
  to: number;
}

const stallFromMs = 100;

/** Oldest first, times in ms since `startedAt`; the middle is omitted if there are too many. @param stalls delays of this process's timers */
export function excerpt(history: History, { robot, from, to }: About, startedAt: number, stalls: readonly Stall[]): string[] {
  const mine = (each: { robot: string }): boolean => robot === null || each.robot === robot || each.robot === '';
  const lines: { at: number; text: string }[] = [];
  const add = (at: number, text: string): void => {
    if (at >= from && at <= to) lines.push({ at, text: `${(at - startedAt).toFixed(0).padStart(6)}  ${text}`.slice(0, charsMax) });
  };
  for (const call of history.calls.filter(mine)) {
    add(call.at, `call ${call.id} ${call.gateway} ${call.robot} ${call.action} ${askedText(call)}${call.key === null ? '' : ` ${call.key}`}`);
    if (call.endedAt !== null && call.ending !== null) add(call.endedAt, `     ${call.id} ${call.action} ${endingText(call.ending)}`);
  }
  for (const { at, robot: id, id: command, name, mark, picture } of history.commands.filter(mine))
    add(at, `cmd  ${id} ${command} ${name} ${mark ?? ''}${picture === null ? '' : `${picture.layer} ${picture.id} ${picture.crc32}`}`);
  for (const { at, robot: id, id: command, ok } of history.acks.filter(mine)) add(at, `ack  ${id} ${command} ${ok ? 'ok' : 'nack'}`);
  for (const gesture of history.gestures.filter(mine))
    add(gesture.at, `in   ${gesture.robot} ${gesture.boot} ${gesture.firstSeq}-${gesture.lastSeq} ${gesture.name} ${gesture.data}`);
  for (const { at, robot: id, boot, seq } of history.inputAcks.filter(mine)) add(at, `safe ${id} ${boot} ${seq}`);
  for (const session of history.sessions.filter(mine)) {
    add(session.at, `session ${session.robot} ${session.session} ${session.link} ${session.reason}`);
    if (session.endedAt !== null) add(session.endedAt, `session ${session.robot} ${session.session} over`);
  }
  for (const { at, robot: id, what } of history.complaints.filter(mine)) add(at, `contract ${id} ${what}`);
  for (const { robot: id, kind, from: began, to: ended } of history.misbehaving.filter(mine)) {
    add(began, `${id} ${kind}`);
    add(ended, `${id} ${kind} ended`);
  }
  for (const { at, path, id, name, answer } of history.messages.filter(mine)) add(at, `hook ${path} ${id} ${name} ${answer}`);
  for (const { at, account, apiKey } of history.revocations) add(at, `key ${apiKey} of ${account} is revoked`);
  for (const { at, what } of history.notes) add(at, what);
  for (const { at, ms } of stalls) if (ms >= stallFromMs) add(at, `machine: a timer of this process came ${ms.toFixed(0)} ms late`);
  const sorted = lines.toSorted((a, b) => a.at - b.at).map(({ text }) => text);
  if (sorted.length <= linesMax) return sorted;
  const half = linesMax / 2;
  return [...sorted.slice(0, half), `        ... ${sorted.length - linesMax} lines left out`, ...sorted.slice(-half)];
}

function askedText({ asked }: Call): string {
  switch (asked.kind) {
    case 'marked':
      return asked.mark;
    case 'unmarked':
      return asked.command;
    case 'wait':
      return `${asked.timeoutMs} ms ${asked.answers.join('|')}${asked.expiresMs === undefined ? '' : `, up to ${asked.expiresMs} ms in the queue`}`;
    case 'read':
      return `${asked.reader} after ${asked.after} ${asked.waitMs} ms ${asked.names?.join(',') ?? ''}`;
    case 'queued-card':
      return 'a card of the queue';
    case 'inspect':
      return '';
  }
}

function endingText(ending: Ending): string {
  if (ending.how === 'answered') return `${ending.status} ${JSON.stringify(ending.body)}`;
  return ending.how === 'broken' ? `broken ${ending.error}` : 'hung up';
}

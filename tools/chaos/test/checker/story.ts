/** A short correct history with explicit times; each test then violates one guarantee. */
import type { Evidence } from '../../src/checker/evidence.js';
import { History } from '../../src/history/history.js';
import type { Message } from '../../src/history/messages.js';
import { canonical, type AskedWait, type CallRequest, type Call, type Ending, type Gesture } from '../../src/history/records.js';
import { Track } from '../../src/system/spans.js';

export const robot = 'r1';
export const foreignRobot = 'r2';
const boot = 'b1';

/** A question with two buttons, left and right of x = 160. */
export const ask: AskedWait = { kind: 'wait', action: 'ask', timeoutMs: 1000, answers: ['yes', 'no'], hits: (x) => (x < 0 ? -1 : x < 160 ? 0 : 1) };

export function eventAt(seq: number): number {
  return seq * 100;
}

export class Story {
  readonly history = new History();
  evidence: Evidence;

  constructor() {
    const well = { running: new Track(0), reachable: new Track(0), served: new Track(0) };
    this.evidence = {
      history: this.history,
      gateways: new Map([['gateway-0', well]]),
      links: new Map([['robot-link-0', well]]),
      senders: new Map([['webhooks-0', well]]),
      loss: null,
      renumbered: false,
      stallMs: () => 0,
      waitedMs: () => 0,
      queuedMs: () => 0,
    };
    this.history.robots.push({ id: robot, account: 'a1' }, { id: foreignRobot, account: 'a2' });
    this.history.hellos.push({ at: 0, robot });
    this.history.sessions.push({ at: 0, robot, boot, session: 's1', link: 'robot-link-0', reason: 'start', endedAt: null });
  }

  call(at: number, endedAt: number | null, asked: CallRequest, ending: Ending | null, more: Partial<Call> = {}): Call {
    const { kind } = asked;
    const action = kind === 'wait' ? asked.action : kind === 'read' ? 'events' : 'leds';
    const withinMs = kind === 'wait' ? asked.timeoutMs + 14_000 : kind === 'read' ? asked.waitMs + 1000 : 14_000;
    const call: Call = {
      id: this.history.calls.length + 1,
      at,
      endedAt,
      account: 'a1',
      robot,
      action,
      gateway: 'gateway-0',
      asked,
      apiKey: 'k1',
      key: null,
      withinMs,
      ending,
      ...more,
    };
    this.history.calls.push(call);
    return call;
  }

  done(at: number, mark: string): Call {
    this.command(at + 10, `c-${mark}`, mark);
    this.ack(at + 20, `c-${mark}`);
    return this.call(at, at + 30, { kind: 'marked', mark }, ok());
  }

  command(at: number, id: string, mark: string | null, more: Partial<History['commands'][number]> = {}): void {
    this.history.commands.push({ at, robot, boot, session: 's1', id, name: 'leds.effect', mark, picture: null, ...more });
  }

  ack(at: number, id: string, good = true): void {
    this.history.acks.push({ at, robot, boot, session: 's1', id, ok: good });
  }

  /** @param ms the robot's clock */
  shows(at: number, id: string, ackedAt: number | null = at, ms: number | null = null): void {
    this.command(at - 5, id, null, { name: 'screen.show question', picture: { layer: 'question', id: 'w1', crc32: 1 } });
    this.history.done.push({ at, robot, boot, id, ms });
    if (ackedAt !== null) this.ack(ackedAt, id);
  }

  gesture(at: number, seq: number, name: string, data: unknown, more: Partial<Gesture> = {}): void {
    const touch = name === 'tap' ? { ...(data as { x: number; y: number }), long: false } : null;
    this.history.gestures.push({
      at,
      robot,
      boot,
      firstSeq: seq,
      lastSeq: seq,
      name,
      data: canonical(data),
      unique: true,
      becomes: 'must',
      ms: null,
      touch,
      ...more,
    });
  }

  safe(at: number, seq: number): void {
    this.history.inputAcks.push({ at, robot, boot, seq });
  }

  read(
    at: number,
    reader: string,
    after: number,
    events: readonly (readonly [seq: number, name: string, data: unknown])[],
    lastSeq = events.at(-1)?.[0] ?? after,
  ): Call {
    const told = events.map(([seq, name, data]) => ({ seq, at: new Date(performance.timeOrigin + eventAt(seq)).toISOString(), name, data }));
    const body = { ok: true, events: told, last_seq: lastSeq, first_seq: 1 };
    return this.call(at, at + 10, { kind: 'read', after, waitMs: 0, names: null, reader }, { how: 'answered', status: 200, body });
  }

  message(at: number, path: string, seq: number, name: string, data: unknown, more: Partial<Message> = {}): void {
    const id = `msg_${more.robot ?? robot}_${seq}`;
    this.history.messages.push({ at, path, id, genuine: true, robot, seq, name, data: canonical(data), answer: 'taken', ...more });
  }

  log(events: readonly (readonly [seq: number, name: string, data: unknown])[], at = 90_000): void {
    this.read(at, 'final gateway-0', 0, events);
  }
}

export function ok(body: Record<string, unknown> = {}): Ending {
  return { how: 'answered', status: 200, body: { ok: true, ...body } };
}

export function failed(status: number, code: string): Ending {
  return { how: 'answered', status, body: { ok: false, code, error: 'x', request_id: 'x' } };
}

export function ended(outcome: 'answered' | 'timed_out' | 'replaced', index: number | null = null, answer: string | null = null): Ending {
  return ok({ outcome, timed_out: outcome === 'timed_out', replaced: outcome === 'replaced', index, answer });
}

/** Executes each command once, in order, and acknowledges it; a repeated command gets the same ack. */

import type { Timers } from '../clock.js';
import type { FaultSettings } from '../connection/faults.js';
import { Abandoned } from '../body/incoming-media.js';
import { Nack } from './args.js';
import type { Ack, Cmd, Fields } from '../connection/messages.js';

export interface ReceivedCommand {
  id: string;
  name: string;
  args: Fields;
  ttlMs: number;
  receivedMs: number;
  repeats: number;
  /** late: not begun within its ttl; abandoned: its connection closed first. */
  outcome: 'waiting' | 'running' | 'done' | 'refused' | 'late' | 'abandoned';
  /** The robot's reply, even if a fault prevents sending it. */
  ack: Ack | null;
}

/** A result that arrives later, without blocking the commands behind it. */
export class Later {
  readonly result: Promise<Fields>;

  constructor(result: Promise<Fields>) {
    this.result = result;
  }
}

/** A command with checked arguments, ready to receive its media. */
export interface Prepared {
  run(): Fields | Promise<Fields> | Later;
  /** Releases what it expected, if it does not run. */
  drop?(): void;
}

export interface CommandQueueHost {
  prepare(command: ReceivedCommand): Prepared;
  send(ack: Ack): void;
  /** Reports the outcome of a command; `ack` is null if it gets none. */
  settled(command: ReceivedCommand): void;
  violation(what: string): void;
  robotMs(): number;
}

interface Job {
  command: ReceivedCommand;
  receivedAt: number;
  connection: number;
  prepared: Prepared | Error;
  sent: boolean;
}

const inFlightMax = 4;
const remembered = 32;

export class CommandQueue {
  readonly #host: CommandQueueHost;
  readonly #timers: Timers;
  readonly #faults: FaultSettings;
  readonly #waiting: Job[] = [];
  readonly #unanswered = new Map<string, Job>();
  readonly #answered = new Map<string, { command: ReceivedCommand; ack: Ack }>();
  #connection = 0;
  #working = false;

  constructor(host: CommandQueueHost, timers: Timers, faults: FaultSettings) {
    this.#host = host;
    this.#timers = timers;
    this.#faults = faults;
  }

  receive(cmd: Cmd): { command: ReceivedCommand; isNew: boolean } {
    const answered = this.#answered.get(cmd.id);
    const job = this.#unanswered.get(cmd.id);
    if (answered || job) {
      const command = (answered ?? (job as Job)).command;
      command.repeats += 1;
      if (job) job.connection = this.#connection;
      else if (answered) this.#send(command, answered.ack, () => undefined);
      return { command, isNew: false };
    }
    const command: ReceivedCommand = {
      id: cmd.id,
      name: cmd.name,
      args: cmd.args,
      ttlMs: cmd.ttl_ms,
      receivedMs: this.#host.robotMs(),
      repeats: 0,
      outcome: 'waiting',
      ack: null,
    };
    const fresh: Job = { command, receivedAt: this.#timers.clock.now(), connection: this.#connection, prepared: this.#prepare(command), sent: false };
    this.#unanswered.set(cmd.id, fresh);
    this.#watchInFlight();
    this.#waiting.push(fresh);
    void this.#work();
    return { command, isNew: true };
  }

  /** The service treats their outcome as unknown. */
  connectionLost(): void {
    this.#connection += 1;
    for (const job of this.#waiting.splice(0)) this.#drop(job, 'abandoned');
  }

  #prepare(command: ReceivedCommand): Prepared | Error {
    try {
      return this.#host.prepare(command);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    for (let job = this.#waiting[0]; job; job = this.#waiting[0]) {
      if (this.#faults.beginLateMs > 0) await this.#pause(this.#faults.beginLateMs);
      // The connection may have closed in the meantime, which clears the queue.
      if (this.#waiting[0] !== job) continue;
      this.#waiting.shift();
      if (this.#timers.clock.now() - job.receivedAt > job.command.ttlMs) this.#drop(job, 'late');
      else await this.#run(job);
    }
    this.#working = false;
  }

  async #run(job: Job): Promise<void> {
    job.command.outcome = 'running';
    try {
      const { nack } = this.#faults;
      if (nack && (!nack.names || nack.names.includes(job.command.name))) throw new Nack(nack.code, `injected fault: ${nack.code}`);
      if (job.prepared instanceof Error) throw job.prepared;
      const result = job.prepared.run();
      if (result instanceof Later) {
        result.result.then(
          (late) => this.#finish(job, late),
          (error: unknown) => this.#fail(job, error),
        );
        return;
      }
      this.#finish(job, result instanceof Promise ? await result : result);
    } catch (error) {
      if (!(job.prepared instanceof Error)) job.prepared.drop?.();
      this.#fail(job, error);
    }
  }

  #finish(job: Job, result: Fields): void {
    job.command.outcome = 'done';
    this.#answer(job, { t: 'ack', id: job.command.id, ms: this.#host.robotMs(), ok: true, result });
  }

  #fail(job: Job, error: unknown): void {
    if (error instanceof Abandoned) return this.#drop(job, 'abandoned');
    job.command.outcome = 'refused';
    const { code, message } = error instanceof Nack ? error : new Nack('hardware', String(error));
    this.#answer(job, { t: 'ack', id: job.command.id, ms: this.#host.robotMs(), ok: false, code, error: message });
  }

  #drop(job: Job, outcome: 'late' | 'abandoned'): void {
    this.#unanswered.delete(job.command.id);
    job.command.outcome = outcome;
    if (!(job.prepared instanceof Error)) job.prepared.drop?.();
    this.#host.settled(job.command);
  }

  #answer(job: Job, ack: Ack): void {
    job.command.ack = ack;
    const remember = (): void => {
      this.#unanswered.delete(ack.id);
      this.#answered.set(ack.id, { command: job.command, ack });
      for (const oldest of this.#answered.keys()) {
        if (this.#answered.size <= remembered) break;
        this.#answered.delete(oldest);
      }
    };
    const connection = job.connection;
    if (connection === this.#connection) this.#send(job.command, ack, remember);
    else remember();
    this.#host.settled(job.command);
  }

  #send(command: ReceivedCommand, ack: Ack, sent: () => void): void {
    const { neverAck, ackLateMs, ackTwice } = this.#faults;
    if (neverAck === '*' || neverAck.includes(command.name)) return sent();
    const connection = this.#connection;
    const send = (): void => {
      sent();
      if (connection !== this.#connection) return;
      this.#host.send(ack);
      if (ackTwice) this.#host.send(ack);
    };
    if (ackLateMs > 0) this.#timers.after(ackLateMs, send);
    else send();
  }

  #watchInFlight(): void {
    const now = this.#timers.clock.now();
    let inFlight = 0;
    for (const job of this.#unanswered.values()) {
      if (job.connection === this.#connection && now - job.receivedAt <= job.command.ttlMs) inFlight += 1;
    }
    if (inFlight > inFlightMax) this.#host.violation(`${inFlight} commands in flight, at most ${inFlightMax}`);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#timers.after(ms, resolve));
  }
}

/** The history of one round, in the order in which this process observed it. Append-only and bounded. */
import type { Hook, Message } from './messages.js';
import type {
  Ack,
  Call,
  Command,
  Complaint,
  Done,
  Ending,
  Gesture,
  Hello,
  InputAck,
  Misbehaving,
  Revocation,
  RobotFacts,
  Session,
} from './records.js';

/** Exceeding it fails the round. */
const recordsMax = 400_000;

export class History {
  readonly robots: RobotFacts[] = [];
  readonly calls: Call[] = [];
  readonly commands: Command[] = [];
  readonly acks: Ack[] = [];
  readonly done: Done[] = [];
  readonly gestures: Gesture[] = [];
  readonly inputAcks: InputAck[] = [];
  readonly hellos: Hello[] = [];
  readonly sessions: Session[] = [];
  readonly complaints: Complaint[] = [];
  readonly misbehaving: Misbehaving[] = [];
  readonly revocations: Revocation[] = [];
  readonly hooks: Hook[] = [];
  readonly messages: Message[] = [];
  readonly notes: { readonly at: number; readonly what: string }[] = [];
  #records = 0;

  now(): number {
    return performance.now();
  }

  call(call: Omit<Call, 'id' | 'at' | 'endedAt' | 'ending'>): { record: Call; end: (ending: Ending) => void } {
    const record: Call = { id: this.calls.length + 1, at: this.now(), ...call, endedAt: null, ending: null };
    this.#add(this.calls, record);
    return {
      record,
      end: (ending) => {
        if (record.ending !== null) return;
        record.endedAt = this.now();
        record.ending = ending;
      },
    };
  }

  robot(facts: RobotFacts): void {
    this.#add(this.robots, facts);
  }

  command(command: Omit<Command, 'at'>): void {
    this.#add(this.commands, { at: this.now(), ...command });
  }

  ack(ack: Omit<Ack, 'at'>): void {
    this.#add(this.acks, { at: this.now(), ...ack });
  }

  carriedOut(done: Omit<Done, 'at'>): void {
    this.#add(this.done, { at: this.now(), ...done });
  }

  gesture(gesture: Gesture): void {
    this.#add(this.gestures, gesture);
  }

  inputAck(inputAck: Omit<InputAck, 'at'>): void {
    this.#add(this.inputAcks, { at: this.now(), ...inputAck });
  }

  hello(robot: string): void {
    this.#add(this.hellos, { at: this.now(), robot });
  }

  session(session: Omit<Session, 'at' | 'endedAt'>): () => void {
    const record: Session = { at: this.now(), ...session, endedAt: null };
    this.#add(this.sessions, record);
    return () => {
      record.endedAt ??= this.now();
    };
  }

  complaint(robot: string, what: string): void {
    this.#add(this.complaints, { at: this.now(), robot, what });
  }

  misbehaves(robot: string, kind: string): () => void {
    const record: Misbehaving = { robot, kind, from: this.now(), to: Infinity };
    this.#add(this.misbehaving, record);
    return () => {
      if (record.to === Infinity) record.to = this.now();
    };
  }

  revoked(revocation: Omit<Revocation, 'at'>): void {
    this.#add(this.revocations, { at: this.now(), ...revocation });
  }

  hook(hook: Hook): void {
    this.#add(this.hooks, hook);
  }

  message(message: Omit<Message, 'at'>): void {
    this.#add(this.messages, { at: this.now(), ...message });
  }

  note(what: string): void {
    this.#add(this.notes, { at: this.now(), what });
  }

  #add<T>(list: T[], record: T): void {
    if (this.#records >= recordsMax) throw new Error(`a round of more than ${recordsMax} records`);
    this.#records += 1;
    list.push(record);
  }
}

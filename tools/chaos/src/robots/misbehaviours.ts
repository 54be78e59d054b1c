/** Each function starts a misbehaviour and returns how to end it. */
import type { RobotCore } from '@perch/virtual-robot';
import type { Misbehaviour } from '../faults/fault.js';
import type { Random } from '../random.js';

type Misbehave = (robot: RobotCore, random: Random) => () => void;

/** Some are longer than any answer waits. */
const lateAcksMs = [300, 2500, 12_000] as const;

/** Its connection is written by the program: it cannot stop reading, break its framing or leave a connection half open. */
export const lackedByMicropython: ReadonlySet<Misbehaviour> = new Set(['garbage', 'flood', 'stop-reading', 'half-open']);

const unreadableInputs: readonly (readonly [kind: string, fields: Record<string, unknown>])[] = [
  ['ir', {}],
  ['nfc_in', { uid: 5 }],
  ['usb', { present: 'front' }],
  ['power_key', { held_ms: null }],
  ['smell', { ms: 'late' }],
];

export const misbehave: Readonly<Record<Misbehaviour, Misbehave>> = {
  'never-ack': ({ faults }) => {
    faults.neverAck();
    return () => faults.neverAck([]);
  },
  'ack-late': ({ faults }, random) => {
    faults.ackLate(random.pick(lateAcksMs));
    return () => faults.ackLate(0);
  },
  'ack-twice': ({ faults }) => {
    faults.ackTwice();
    return () => faults.ackTwice(false);
  },
  garbage: ({ faults }, random) =>
    every(400, () => {
      const what = random.int(0, 2);
      if (what === 2) faults.oversize();
      else faults.sendGarbage(what === 0 ? 'text' : 'binary');
    }),
  // Inputs that touches never send, since the checker expects the events of those. The robot keeps an input until it is acknowledged: if a service
  // refuses one, the end of the run finds unacknowledged input.
  'unreadable-input': (robot, random) => every(200, () => void robot.input(...random.pick(unreadableInputs))),
  flood: ({ faults }) => every(700, () => faults.flood(3000)),
  // A connection that is opened later would be read otherwise.
  'stop-reading': ({ faults }) => {
    const stop = every(150, () => faults.stopReading());
    return () => {
      stop();
      faults.resume();
    };
  },
  'reconnect-storm': ({ faults }, random) => every(random.int(60, 200), () => faults.dropConnection()),
  'half-open': ({ faults }) => {
    faults.halfOpen();
    return () => faults.redial();
  },
  'duplicate-session': ({ faults }) => every(450, () => faults.redial()),
};

function every(ms: number, act: () => void): () => void {
  act();
  const timer = setInterval(act, ms);
  return () => clearInterval(timer);
}

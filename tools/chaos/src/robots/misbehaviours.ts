/** What a robot can be made to do wrong, each ended by what its start answers. */
import type { RobotCore } from '@perch/virtual-robot';
import type { Misbehaviour } from '../faults/fault.js';
import type { Random } from '../random.js';

type Misbehave = (robot: RobotCore, random: Random) => () => void;

/** Later than any answer waits for, too. */
const lateAcksMs = [300, 2500, 12_000] as const;

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
  // Kinds that are no part of a person's touches, whose events the checker expects. The robot keeps them until they are acknowledged, so that a
  // service which refuses one never gets past it and the end of the run finds input that is not safe.
  'unreadable-input': (robot, random) => every(200, () => void robot.input(...random.pick(unreadableInputs))),
  flood: ({ faults }) => every(700, () => faults.flood(3000)),
  // Again and again: a connection that comes after is read else.
  'stop-reading': ({ faults }) => {
    const stop = every(150, () => faults.stopReading());
    return () => {
      stop();
      faults.resume();
    };
  },
  'reconnect-storm': ({ faults }, random) => every(random.int(60, 200), () => faults.dropConnection()),
  // Its next connection comes while the old one still stands.
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

/** A touch that the service acknowledged is either the answer of one wait or an event, exactly once; and no answer exists without a touch. */
import type { Call, Done, Gesture } from '../history/records.js';
import { answeredWith, callText, endedByRevocation, violationOf, type Evidence, type Guarantee, type Violation } from './evidence.js';
import { gestureOutcomesOf, type GestureOutcome } from './gesture-outcomes.js';
import { matching } from './matching.js';

const name = 'a touch is an answer or an event, once';

/** A touch answers what was on the screen when it began; the robot's clock has whole milliseconds. */
const toleranceMs = 2;
/** A tap may have been in flight when a clickmap without a picture was armed, ms: on a connection that a fault slows down, and on a healthy one. */
const onItsWayMs = { slow: 500, well: 30 } as const;
/** A question is on the screen for so long before a touch answers it, by the robot's clock, ms. */
const countsAfterMs = { question: 350, approval: 1000 } as const;
/** How long a wait may outlive a client that hung up on a healthy gateway, ms. */
const hangUpMs = 1500;

export const answerOrEvent: Guarantee = {
  name,
  promise:
    'Each touch that was acknowledged to the robot is an event, or answers one wait that the person saw, exactly once; each answer has its touch, which began 350 ms or more after the question was on the screen, 1 s or more for one that must be read whole, and was held for 40 ms or more.',
  check(evidence) {
    return [...gestureOutcomesOf(evidence)].flatMap(([robot, { outcomes }]) => {
      const touches = outcomes.filter(({ gesture }) => gesture.touch !== null && gesture.unique);
      const waits = evidence.history.calls.filter((call) => call.robot === robot && call.asked.kind === 'wait');
      return [...twice(touches), ...withoutTouch(evidence, touches, waits), ...nowhere(evidence, touches, waits)];
    });
  },
};

function twice(touches: readonly GestureOutcome[]): Violation[] {
  return touches.flatMap(({ gesture, logged }) =>
    logged.length < 2
      ? []
      : [violationOf(name, `${touchText(gesture)} is an event ${logged.length} times: ${logged.join(', ')}`, gesture, 'doubled')],
  );
}

function withoutTouch(evidence: Evidence, touches: readonly GestureOutcome[], waits: readonly Call[]): Violation[] {
  const answered = waits.filter(isAnswered);
  const free = touches.filter(({ logged, mayBeLost }) => logged.length === 0 || mayBeLost);
  const edges = answered.map((call) => free.flatMap(({ gesture }, i) => (answers(evidence, gesture, call) ? [i] : [])));
  const partners = matching(edges);
  return answered
    .filter((_, i) => partners[i] === null)
    .map((call) =>
      violationOf(name, `${callText(call)}: no touch can have answered it`, { robot: call.robot, at: call.at, to: call.endedAt ?? call.at }),
    );
}

/** Reports acknowledged touches that are not events and have no wait of their own that they answered, or may have answered unobserved. */
function nowhere(evidence: Evidence, touches: readonly GestureOutcome[], waits: readonly Call[]): Violation[] {
  const unaccounted = touches.filter(({ safeAt, logged, mayBeLost }) => safeAt !== null && logged.length === 0 && !mayBeLost);
  const edges = unaccounted.map(({ gesture }) =>
    waits.flatMap((call, i) => (answers(evidence, gesture, call) || mayHaveAnswered(evidence, gesture, call) ? [i] : [])),
  );
  const partners = matching(edges);
  return unaccounted
    .filter((_, i) => partners[i] === null)
    .map(({ gesture, safeAt }) =>
      violationOf(name, `${touchText(gesture)} was acked and is neither an event nor an answer`, { ...gesture, to: safeAt ?? gesture.at }, 'lost'),
    );
}

function isAnswered(call: Call): boolean {
  const answer = answeredWith(call);
  return answer?.status === 200 && answer.body['outcome'] === 'answered';
}

function answers(evidence: Evidence, gesture: Gesture, call: Call): boolean {
  const { asked } = call;
  const { touch } = gesture;
  const answer = answeredWith(call);
  if (asked.kind !== 'wait' || touch === null || !mayAnswer(evidence, touch) || answer === null || !isAnswered(call)) return false;
  const { index, x, y } = answer.body;
  if (gesture.at < earliest(evidence, gesture, call) || gesture.at > (call.endedAt ?? 0) || asked.hits(touch.x, touch.y) !== index) return false;
  if (asked.action === 'clickmap') return !touch.long && x === touch.x && y === touch.y;
  return wasSeen(evidence, gesture, call);
}

function mayHaveAnswered(evidence: Evidence, gesture: Gesture, call: Call): boolean {
  const { history, gateways } = evidence;
  const { asked, at, endedAt, ending, gateway } = call;
  const { touch } = gesture;
  if (asked.kind !== 'wait' || touch === null || !mayAnswer(evidence, touch)) return false;
  if (gesture.at < earliest(evidence, gesture, call) || asked.hits(touch.x, touch.y) < 0) return false;
  if (asked.action === 'clickmap' && touch.long) return false;
  const answer = answeredWith(call);
  if (answer !== null && answer.status < 500 && !endedByRevocation(history, call)) return false;
  if (asked.action !== 'clickmap' && !wasSeen(evidence, gesture, call)) return false;
  // The gateway that shows a question of the queue while its client hangs up takes it away only then.
  const isQueued = asked.expiresMs !== undefined;
  const hungUpOnWell = !isQueued && ending?.how === 'hung-up' && gateways.get(gateway)?.running.throughout(at, (endedAt ?? at) + hangUpMs) === true;
  return gesture.at <= (hungUpOnWell ? (endedAt ?? at) + hangUpMs : at + call.withinMs + asked.timeoutMs);
}

function earliest({ history, links, stallMs }: Evidence, { robot, at }: Gesture, call: Call): number {
  if (call.asked.kind !== 'wait' || call.asked.action !== 'clickmap' || at >= call.at) return call.at;
  const session = history.sessions.findLast((each) => each.robot === robot && each.at <= call.at);
  const isWell = links.get(session?.link ?? '')?.reachable.throughout(at, call.at) === true;
  return call.at - (isWell ? onItsWayMs.well + stallMs(at, call.at) : onItsWayMs.slow);
}

/** Returns whether a question from the time of this call was on the screen for long enough before the touch. `done` has its time; the ack may leave later. */
function wasSeen({ history, anyTouchAnswers = false }: Evidence, gesture: Gesture, call: Call): boolean {
  return history.commands.some(
    ({ robot, boot, at, picture, id }) =>
      robot === gesture.robot &&
      boot === gesture.boot &&
      picture?.layer === 'question' &&
      at >= call.at &&
      at <= gesture.at + toleranceMs &&
      history.done.some(
        (done) =>
          done.robot === robot && done.id === id && done.at <= gesture.at + toleranceMs && (anyTouchAnswers || isLongEnough(done, gesture, call)),
      ) &&
      history.acks.some((ack) => ack.robot === robot && ack.id === id && ack.ok),
  );
}

function mayAnswer({ anyTouchAnswers = false }: Evidence, touch: NonNullable<Gesture['touch']>): boolean {
  return anyTouchAnswers || touch.short !== true;
}

function isLongEnough(done: Done, gesture: Gesture, { asked }: Call): boolean {
  const afterMs = asked.kind === 'wait' && asked.approval === true ? countsAfterMs.approval : countsAfterMs.question;
  return done.ms === null || gesture.ms === null || gesture.ms - done.ms >= afterMs - toleranceMs;
}

function touchText({ robot, boot, lastSeq, name: event, data }: Gesture): string {
  return `the ${event} ${data} of ${robot} (input ${boot}/${lastSeq})`;
}

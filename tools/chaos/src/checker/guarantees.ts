import { answerOrEvent } from './answer-or-event.js';
import { boundedTime } from './bounded-time.js';
import { contract } from './contract.js';
import { doneOnce } from './done-once.js';
import { eventsKept } from './events-kept.js';
import type { Evidence, Guarantee, Violation } from './evidence.js';
import { isolation } from './isolation.js';
import { everyEventArrives, onlyWhatIsWanted } from './messages.js';
import { numbers } from './numbers.js';
import { okIsAcked } from './ok-is-acked.js';
import { oneOutcome } from './one-outcome.js';
import { readers } from './readers.js';
import { refusedIsNotDone } from './refused-is-not-done.js';
import { revokedKeys } from './revoked-keys.js';
import { waits } from './waits.js';

export const guarantees: readonly Guarantee[] = [
  doneOnce,
  okIsAcked,
  refusedIsNotDone,
  oneOutcome,
  boundedTime,
  waits,
  answerOrEvent,
  eventsKept,
  numbers,
  readers,
  everyEventArrives,
  onlyWhatIsWanted,
  isolation,
  revokedKeys,
  contract,
];

export function check(evidence: Evidence): Violation[] {
  return guarantees.flatMap((guarantee) => guarantee.check(evidence));
}

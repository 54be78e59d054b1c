/** One robot's part in a call to a group: what its action and the activity need of an exchange. */
import type { RequestAction, Span } from '@perch/runtime';
import type { EndedCall } from '../activity/activity-log.js';
import type { CallNotes } from '../calls/call-notes.js';
import type { QuestionOutcome } from '../calls/question-outcome.js';
import { ServiceTime } from '../calls/service-time.js';
import type { ShownScreen } from '../calls/shown-screen.js';
import type { Exchange } from '../http/exchange.js';

export class GroupPart implements EndedCall, CallNotes {
  readonly robot: string;
  readonly action: RequestAction;
  readonly requestId: string;
  readonly caller: Exchange['caller'];
  readonly via: Exchange['via'];
  readonly span: Span | null;
  readonly startedAt = performance.now();
  readonly time = new ServiceTime(this.startedAt);
  question: QuestionOutcome | null = null;
  shown: readonly ShownScreen[] = [];
  replayed = false;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, robot: string, action: RequestAction) {
    this.robot = robot;
    this.action = action;
    this.requestId = exchange.requestId;
    this.caller = exchange.caller;
    this.via = exchange.via;
    this.span = exchange.span;
    this.#exchange = exchange;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}

/** Screens of an account that wait for the next flush: of each robot only as many as are kept of it, so that a program that shows many costs little. */
import { randomBytes } from 'node:crypto';
import { screensKept, type ScreenRecord } from '@perch/store';
import type { QuestionOutcome } from '../calls/question-outcome.js';
import type { ShownScreen } from '../calls/shown-screen.js';
import { keptArguments } from './kept-arguments.js';
import type { KeyName } from './key-names.js';

export interface EndedScreen extends ShownScreen {
  readonly via: ScreenRecord['via'];
  /** Null: the web page. */
  readonly keyHash: string | null;
  readonly outcome: string;
  readonly question: QuestionOutcome | null;
}

interface Pending {
  readonly keyHash: string | null;
  readonly record: ScreenRecord;
}

export class PendingScreens {
  readonly #byRobot = new Map<string, Pending[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get keyHashes(): string[] {
    return [...this.#byRobot.values()].flatMap((screens) => screens.flatMap(({ keyHash }) => keyHash ?? []));
  }

  /** @returns whether one more is pending: not if it displaced the robot's oldest */
  add(robot: string, screen: EndedScreen): boolean {
    let screens = this.#byRobot.get(robot);
    if (screens === undefined) this.#byRobot.set(robot, (screens = []));
    screens.push({ keyHash: screen.keyHash, record: recordOf(screen) });
    if (screens.length > screensKept) {
      screens.shift();
      return false;
    }
    this.#size += 1;
    return true;
  }

  records(names: ReadonlyMap<string, KeyName>): Map<string, ScreenRecord[]> {
    return new Map(
      [...this.#byRobot].map(([robot, screens]) => [
        robot,
        screens.map(({ keyHash, record }) => {
          const key = names.get(keyHash ?? '');
          return key === undefined ? record : { ...record, key };
        }),
      ]),
    );
  }
}

function recordOf({ at, action, args, via, outcome, question }: EndedScreen): ScreenRecord {
  const record: ScreenRecord = { id: `s-${randomBytes(9).toString('hex')}`, at, action, via, outcome, ...keptArguments(args) };
  if (question === null) return record;
  if (question.answer !== null) record.answer = question.answer;
  if (question.at !== null) Object.assign(record, { x: Math.round(question.at.x), y: Math.round(question.at.y) });
  if (question.tapMs !== null) record.tapMs = Math.round(question.tapMs);
  return record;
}

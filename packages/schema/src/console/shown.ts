/** Request and response of the web page's list of robots, for what their screens show now. Robot-links report it. */
import { limits } from '../base/limits.js';
import type { Readings } from '../robots/readings.js';
import type { ScreenState } from '../link/hello.js';
import { problemError } from '../base/open-object.js';

export interface ShownRobot {
  id: string;
  showing: ScreenState;
  bubble: string | null;
  /** Empty unless its screen shows them. */
  readings: Readings;
}

/** GET /console/shown?robot=…&robot=…: of the robots asked for, those of the account whose robot-link replied. */
export interface ShownAnswer {
  ok: true;
  robots: ShownRobot[];
}

/** GET /console/robots/{robot}/screen?id=…&form=text. Without `form` the answer is the picture. */
export interface ScreenTextAnswer {
  ok: true;
  /** Words of a question or card; null: not known, as of a picture. */
  text: string | null;
  /** Answers of a question and where they lie, in pixels of the screen; absent without a question, and for one of a gateway of 0.10. */
  answers?: ScreenAnswer[];
}

export interface ScreenAnswer {
  name: string;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** @returns the ids, each once @throws {ApiError} bad_argument with `field` */
export function validateShownQuery(query: URLSearchParams): string[] {
  const ids = query.getAll('robot');
  const { shownMax } = limits.robots;
  if (ids.length === 0 || ids.length > shownMax) throw problemError({ field: 'robot', message: `must be given 1 to ${shownMax} times` });
  return [...new Set(ids)];
}

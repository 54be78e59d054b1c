/** The countdown of a card: the gateway draws the second with which it begins, and the robot-link has the following ones drawn. */
import { ApiError, countdownEnd, type CardCountdown, type CountdownArgs, type PictureRef, type RobotCommand } from '@perch/schema';
import { cardScene, countdownFrame, type CardArgs, type Scene } from '@perch/screen';
import { countdownCardId, newCardId, newCountdownSeries } from '@perch/store';
import { screenOf, type RenderOptions } from '../../media/media-maker.js';
import type { KnownRobot } from '../../robots/robot-directory.js';
import type { ActionServices } from '../definition/action.js';
import { withNotesOf } from './picture-notes.js';

export interface CountdownCard {
  scene: Scene;
  rest: number;
  hasDone: boolean;
}

/** @param now Redis time, ms @returns when the countdown ends, ms @throws {ApiError} bad_argument naming countdown.until */
export function requireEnd(countdown: CountdownArgs, now: number): number {
  const end = countdownEnd(countdown, now);
  if (typeof end === 'number') return end;
  throw new ApiError('bad_argument', `${end.field}: ${end.message}`, { field: end.field });
}

/** @throws {ApiError} bad_argument naming countdown.until */
export function countdownCard(
  { countdown: _countdown, ...card }: Omit<CardArgs, 'countdown'> & { countdown?: unknown },
  countdown: CountdownArgs,
  now: number,
): CountdownCard {
  const rest = Math.max(0, Math.ceil((requireEnd(countdown, now) - now) / 1000));
  const { done } = countdown;
  return { scene: cardScene({ ...card, countdown: { rest, ...(done === undefined ? {} : { done }) } }), rest, hasDone: done !== undefined };
}

/** Draws the first picture. Its notes include those of the text at the end. */
export async function drawCountdown(
  media: ActionServices['media'],
  robot: KnownRobot,
  { scene, rest, hasDone }: CountdownCard,
  options: RenderOptions,
): Promise<PictureRef> {
  const last = hasDone && rest > 0 ? [countdownFrame(scene, 0)] : [];
  const [first, ...others] = await Promise.all([scene, ...last].map((each) => media.draw(robot, each, options)));
  return withNotesOf(first!, others);
}

/** @param end Redis time, ms; of a countdown of seconds, counted from when its first picture was ready */
export function countdownCommand(robot: KnownRobot, { scene, rest }: CountdownCard, picture: PictureRef, end: number): RobotCommand {
  const attachments = [{ path: [], picture }];
  if (rest === 0) return { name: 'screen.show', args: { layer: 'card', id: newCardId(picture.hash) }, attachments };
  const countdown: CardCountdown = { end, scene, ...screenOf(robot) };
  const id = countdownCardId(picture.hash, newCountdownSeries());
  return { name: 'screen.show', args: { layer: 'card', id }, attachments, countdown };
}

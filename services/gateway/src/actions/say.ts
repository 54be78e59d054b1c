import { actionByName, withoutTerminalSequences, type ArgsOf, type PictureNotes, type PictureRef } from '@perch/schema';
import { bubbleScene } from '@perch/screen';
import type { Call } from '../calls/call.js';
import { commandMediaMs } from '../calls/service-time.js';
import type { RenderOptions } from '../media/media-maker.js';
import type { CachedRobot } from '../robots/robot-directory.js';
import type { Action, ActionServices } from './action.js';
import { notesOfCommand, withAdjusted } from './picture-notes.js';

type BubbleText = Pick<ArgsOf<'say'>, 'text'> & { lang?: string | undefined };
type BubbleServices = Pick<ActionServices, 'commands' | 'directory' | 'media'>;

const needs = actionByName.get('say')!.features;

export const createSay =
  (services: BubbleServices): Action<'say'> =>
  (call, args) =>
    showBubble(services, call, args);

export async function showBubble(
  { commands, directory, media }: BubbleServices,
  call: Call,
  { seconds, ...said }: BubbleText & Pick<ArgsOf<'say'>, 'seconds'>,
): Promise<PictureNotes> {
  const draw = async (robot: CachedRobot, signal: AbortSignal): Promise<PictureRef | null> =>
    drawBubble(media, robot, said, { ttlMs: commandMediaMs, signal, span: call.span });
  const text = withoutTerminalSequences(said.text);
  let sent: PictureRef | null | undefined;
  await commands.send(call, {
    needs,
    command: async (robot, signal) => {
      const picture = (sent = await draw(robot, signal));
      const bubble = { name: 'bubble', args: { text, seconds } };
      if (picture === null) return bubble;
      return { ...bubble, args: { ...bubble.args, w: picture.w, h: picture.h }, attachments: [{ path: [], picture }] };
    },
  });
  const notes = await notesOfCommand(call, directory, sent, draw);
  return text === said.text ? notes : withAdjusted(notes, 'text');
}

/** Draws the text of a bubble for a robot with the feature `bubble_picture`, whose fonts may lack the script; null for any other robot. */
export async function drawBubble(
  media: ActionServices['media'],
  robot: CachedRobot,
  { text, lang }: BubbleText,
  options: RenderOptions,
): Promise<PictureRef | null> {
  return robot.record.hello.features.includes('bubble_picture') ? media.draw(robot, bubbleScene(text, lang), options) : null;
}

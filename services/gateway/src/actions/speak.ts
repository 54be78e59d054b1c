/** Plays a text read aloud by the renderers' engine, then shows it. Robots that can play it while the engine works; others get it complete. */
import { actionByName, ApiError, isQuietAt, limits, withoutTerminalSequences, type AnswerOf, type SoundRef } from '@perch/schema';
import type { Call } from '../calls/call.js';
import { commandMediaMs } from '../calls/service-time.js';
import type { CachedRobot } from '../robots/robot-directory.js';
import { requireFeatures } from '../robots/robot-commands.js';
import { withAdjusted } from './picture-notes.js';
import { showBubble } from './say.js';
import { isSilenced } from './sound.js';
import type { Action, ActionServices } from './action.js';

const needs = actionByName.get('speak')!.features;

/** Characters a second of slow speech: how long the bubble shows where the length of the speech is not known yet. */
const charsPerS = 10;
const readOnS = 1.5;

const silenced = { seconds: 0, replaced: false, silenced: 'quiet_hours' } as const;

type Caption = Pick<AnswerOf<'speak'>, 'caption' | 'caption_left_out' | 'truncated' | 'missing' | 'adjusted'>;

export const createSpeak = ({
  clock,
  commands,
  directory,
  media,
  stops,
}: Pick<ActionServices, 'clock' | 'commands' | 'directory' | 'media' | 'stops'>): Action<'speak'> => {
  return async (call, args) => {
    const { voice, lang, volume } = args;
    const text = withoutTerminalSequences(args.text);
    const spec = { text, ...(voice !== undefined && { voice }), ...(lang !== undefined && { lang }) };
    const options = { ttlMs: limits.speak.secondsMax * 1000 + commandMediaMs, span: call.span };
    const robot = await directory.heldNow(call.robot);
    requireFeatures(robot.record, needs);
    if (isQuietAt(robot.record.settings, clock.now())) return { ...silenced, ...(await showCaption(call, robot, args.text, lang, null)) };
    // Before the command, whose deadlines are shorter than an engine may take. The engine's time is not the service's.
    call.time.pause();
    let speech: SoundRef | null = await stops
      .unlessStopped(call, (signal) => media.speak(robot, spec, false, { ...options, signal }))
      .finally(() => call.time.resume());
    if (speech === null) return { replaced: true, caption: false };
    const seconds = secondsOf(speech);
    const takesGrowing = speech.growing === true;
    const { replaced, result } = await commands.send(call.restarted(clock.now()), {
      needs,
      command: async (current, signal) => {
        // A robot that has connected again without `open_sound` gets the whole speech.
        const sound =
          speech !== null && (!takesGrowing || current.record.hello.openSounds === true)
            ? speech
            : await media.speak(current, spec, takesGrowing, { ...options, signal });
        speech = null;
        return { name: 'audio.play', args: volume === undefined ? {} : { volume }, sound };
      },
    });
    if (isSilenced(result)) return { ...silenced, ...(await showCaption(call, robot, args.text, lang, seconds)) };
    const known = seconds === null ? {} : { seconds };
    if (replaced) return { ...known, replaced, caption: false };
    return { ...known, replaced, ...(await showCaption(call, robot, args.text, lang, seconds)) };
  };

  /** The robot speaks already: a caption that cannot be shown does not fail the call. */
  async function showCaption(call: Call, robot: CachedRobot, sent: string, lang: string | undefined, seconds: number | null): Promise<Caption> {
    if (!robot.record.hello.features.includes('bubble')) return { caption: false, caption_left_out: 'no_bubble' };
    const text = withoutTerminalSequences(sent);
    const shown = captionOf(text);
    const shownS = Math.min(limits.say.secondsMax, (seconds ?? text.length / charsPerS) + readOnS);
    try {
      const notes = await showBubble({ commands, directory, media }, call.restarted(clock.now()), { text: shown, seconds: shownS, lang });
      const all = text === sent ? notes : withAdjusted(notes, 'text');
      return { caption: true, ...all, ...(shown !== text && { truncated: ['text'] }) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { caption: false, caption_left_out: error.code === 'card_showing' ? 'card_showing' : 'failed' };
    }
  }
};

function captionOf(text: string): string {
  const { charsMax } = limits.say;
  if ([...text].length <= charsMax) return text;
  let cut = '';
  let points = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    points += [...segment].length;
    if (points > charsMax - 1) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}

function secondsOf({ bytes, rate, growing }: SoundRef): number | null {
  return growing === true ? null : Math.round((bytes / 2 / rate) * 1000) / 1000;
}

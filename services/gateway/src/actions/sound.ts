import { actionByName, ApiError, type ArgsOf } from '@perch/schema';
import { asNotes, NotesError, soundDurationMs } from '@perch/sound';
import { commandMediaMs } from '../calls/service-time.js';
import type { Action, ActionServices } from './action.js';

const needs = actionByName.get('sound')!.features;

type Spec = { chime: NonNullable<ArgsOf<'sound'>['chime']> } | { notes: string; bell: boolean };

export const createSound =
  ({ commands, media }: Pick<ActionServices, 'commands' | 'media'>): Action<'sound'> =>
  async (call, args) => {
    const { volume } = args;
    const loudness = volume === undefined ? {} : { volume };
    const playback = soundSpec(args);
    if (playback === null) {
      await commands.send(call, { needs, command: { name: 'audio.volume', args: { pct: volume } } });
      return { seconds: 0, replaced: false };
    }
    const { spec, playsMs } = playback;
    const { replaced, result } = await commands.send(call, {
      needs,
      // The sound is read from Redis while it plays.
      command: async (robot, signal) => ({
        name: 'audio.play',
        args: { ...loudness },
        sound: await media.play(robot, spec, { ttlMs: playsMs + commandMediaMs, signal, span: call.span }),
      }),
    });
    return isSilenced(result) ? { seconds: 0, replaced, silenced: 'quiet_hours' } : { seconds: playsMs / 1000, replaced };
  };

/** @param result of `audio.play`: a robot-link says whether it left it out */
export function isSilenced(result: Record<string, unknown>): boolean {
  return result['silenced'] === 'quiet_hours';
}

/** Returns the sound to play and its duration in ms; null if only the volume is set. @throws {ApiError} bad_argument naming the invalid note */
export function soundSpec({ chime, notes, bell }: ArgsOf<'sound'>): { spec: Spec; playsMs: number } | null {
  try {
    // Renderers get notes, which those of 0.10 play, too.
    const spec: Spec | null = chime !== undefined ? { chime } : notes !== undefined ? { notes: asNotes(notes), bell: bell ?? false } : null;
    return spec === null ? null : { spec, playsMs: soundDurationMs(spec) };
  } catch (error) {
    if (error instanceof NotesError) throw new ApiError('bad_argument', error.message, { field: 'notes', cause: error });
    throw error;
  }
}

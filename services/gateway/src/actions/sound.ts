/** sound: a chime or a melody made by the service and streamed by the robot-link, or the volume alone. */
import { actionByName, ApiError, type ArgsOf } from '@perch/schema';
import { NotesError, soundDurationMs } from '@perch/sound';
import { commandMediaMs } from '../robots/robot-commands.js';
import type { ActionHandler } from './index.js';

const needs = actionByName.get('sound')!.features;

type Spec = { chime: NonNullable<ArgsOf<'sound'>['chime']> } | { notes: string; bell: boolean };

export const sound: ActionHandler<'sound'> = async (call, args) => {
  const { commands, media } = call.tools;
  const { volume } = args;
  const loudness = volume === undefined ? {} : { volume };
  const sounding = soundSpec(args);
  if (sounding === null) {
    await commands.send(call, { needs, command: { name: 'audio.volume', args: { pct: volume } } });
    return { seconds: 0, replaced: false };
  }
  const { spec, playsMs } = sounding;
  const { replaced } = await commands.send(call, {
    needs,
    // It is read while it plays.
    command: async (robot, signal) => ({
      name: 'audio.play',
      args: { ...loudness },
      sound: await media.play(robot, spec, { ttlMs: playsMs + commandMediaMs, signal, span: call.span }),
    }),
  });
  return { seconds: playsMs / 1000, replaced };
};

/** What there is to play and how long, ms; null where only the volume is set. @throws {ApiError} bad_argument naming the note that is wrong */
export function soundSpec({ chime, notes, bell }: ArgsOf<'sound'>): { spec: Spec; playsMs: number } | null {
  const spec: Spec | null = chime !== undefined ? { chime } : notes !== undefined ? { notes, bell: bell ?? false } : null;
  return spec === null ? null : { spec, playsMs: durationMs(spec) };
}

function durationMs(spec: Spec): number {
  try {
    return soundDurationMs(spec);
  } catch (error) {
    if (error instanceof NotesError) throw new ApiError('bad_argument', error.message, { field: 'notes', cause: error });
    throw error;
  }
}

/** Notes on pictures in the answers of actions: what of the sent texts and colours the person does not see as it was sent. */
import { withDeadline } from '@perch/runtime';
import { ApiError, type PictureNotes, type PictureRef } from '@perch/schema';
import { invisibleIn } from '@perch/screen';
import type { Call } from '../calls/call.js';
import type { CachedRobot, RobotDirectory } from '../robots/robot-directory.js';

/** How long a confirmed call waits for its notes if they have to be looked up, ms. */
const lookUpMs = 2_000;

/** Returns the fields of an answer; lists without entries are absent. */
export function notesFields({ truncated = [], missing = [], adjusted = [] }: PictureNotes = {}): PictureNotes {
  return {
    ...(truncated.length === 0 ? {} : { truncated }),
    ...(missing.length === 0 ? {} : { missing }),
    ...(adjusted.length === 0 ? {} : { adjusted }),
  };
}

export function withAdjusted(notes: PictureNotes, field: string): PictureNotes {
  return notesFields({ ...notes, adjusted: [...new Set([...(notes.adjusted ?? []), field])] });
}

export function withNotesOf(picture: PictureRef, others: readonly PictureRef[]): PictureRef {
  const all = [picture, ...others].map(({ notes }) => notes);
  const merged = (name: keyof PictureNotes): string[] => [...new Set(all.flatMap((notes) => notes?.[name] ?? []))];
  const { notes: _, ...rest } = picture;
  const isKnown = all.every((notes) => notes !== undefined);
  return isKnown
    ? { ...rest, notes: notesFields({ truncated: merged('truncated'), missing: merged('missing'), adjusted: merged('adjusted') }) }
    : rest;
}

/**
 * Returns the notes on the picture of a confirmed command. `sent` null: no picture; undefined: a gateway that died built the command, and the picture
 * is obtained again, mostly from Redis. If that fails, the answer has no notes: a confirmed call does not fail.
 */
export async function notesOfCommand(
  call: Call,
  directory: RobotDirectory,
  sent: PictureRef | null | undefined,
  draw: (robot: CachedRobot, signal: AbortSignal) => Promise<PictureRef | null>,
): Promise<PictureNotes> {
  if (sent !== undefined) return notesFields(sent?.notes);
  try {
    const robot = await directory.find(call.robot);
    const picture = robot === null ? null : await withDeadline(lookUpMs, call.signal, (signal) => draw(robot, signal));
    return notesFields(picture?.notes);
  } catch {
    return {};
  }
}

/** Refuses a text that looks like another one. @param texts as sent, by the paths of their arguments @throws {ApiError} not_whole */
export function requireVisible(texts: ReadonlyMap<string, string>): void {
  for (const [field, text] of texts) {
    const character = invisibleIn(text);
    if (character === undefined) continue;
    throw new ApiError('not_whole', `${field}: has a character that a person cannot see there (${codeOf(character)}); send a text without it`, {
      field,
    });
  }
}

/**
 * Refuses a picture that cuts or changes a text or lacks a character.
 * @param texts as drawn, by the paths of their arguments @param advice for a text that is cut @throws {ApiError} not_whole
 */
export function requireWhole({ notes }: PictureRef, texts: ReadonlyMap<string, string>, advice: (field: string) => string): void {
  if (notes === undefined) throw new ApiError('render_failed', 'It is unknown whether the picture is whole. Try again later.');
  const { truncated: [cut] = [], missing: [character] = [], adjusted = [] } = notes;
  if (cut !== undefined)
    throw new ApiError('not_whole', `${cut}: does not fit on the screen whole at a readable size; ${advice(cut)}`, { field: cut });
  if (character !== undefined) {
    const field = [...texts].find(([, text]) => text.includes(character))?.[0];
    const message = `has a character that no font of the service has (${codeOf(character)}); send a text without it`;
    throw new ApiError('not_whole', field === undefined ? `A text ${message}.` : `${field}: ${message}`, { field });
  }
  const changed = adjusted.find((field) => texts.has(field));
  if (changed === undefined) return;
  const message = `${changed}: has half a character, or more marks on a letter than are shown; send a text without them`;
  throw new ApiError('not_whole', message, { field: changed });
}

function codeOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

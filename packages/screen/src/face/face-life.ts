/** The recent past of a face, as plain data that can be sent to a worker. All times are in ms on one clock. */
import type { Emotion } from './rest-poses.js';
import { timings } from './timings.js';

/** An emotion, or the face of an offline robot. */
export type Mood = Emotion | 'asleep';

/** A value that holds from a moment on. The first in a list holds from the beginning. */
export interface Change<T> {
  value: T;
  at: number;
}

/** A direction relative to straight ahead, each -1..1, positive to the viewer's right and down; null: the robot looks about by itself. */
export type Look = { x: number; y: number } | null;

export interface Reaction {
  kind: 'petted' | 'shaken' | 'lifted';
  at: number;
  /** Null while it lasts. */
  until: number | null;
}

export interface Talk {
  at: number;
  /** Null while it lasts. */
  until: number | null;
  /** Loudness, 0..1, one value every `timings.talk.level` from `at` on. Null: unknown, the mouth speaks syllables. */
  levels: readonly number[] | null;
}

export interface FaceLife {
  /** Two robots with different seeds blink and look about at different times. */
  seed: number;
  moods: readonly Change<Mood>[];
  /** Highest point of the speech bubble, px; null: no bubble. */
  bubble: readonly Change<number | null>[];
  looks: readonly Change<Look>[];
  reactions: readonly Reaction[];
  talks: readonly Talk[];
}

export function newFaceLife(seed: number, mood: Mood, bubble: number | null = null): FaceLife {
  const first = <T>(value: T): Change<T>[] => [{ value, at: -Infinity }];
  return { seed, moods: first<Mood>(mood), bubble: first<number | null>(bubble), looks: first<Look>(null), reactions: [], talks: [] };
}

/** Adds a change and drops those that no longer show `keepMs` later. */
export function withChange<T>(changes: readonly Change<T>[], change: Change<T>, keepMs: number): Change<T>[] {
  const all = [...changes, change];
  const first = all.findLastIndex(({ at }) => at <= change.at - keepMs);
  return all.slice(Math.max(0, first));
}

/** Adds a reaction or talk and drops those that no longer show. */
export function withSpan<T extends { at: number; until: number | null }>(spans: readonly T[], span: T): T[] {
  return [...spans.filter(({ until }) => until === null || span.at - until < spanKeptMs), span];
}

/** Returns how long a robot without a voice moves its mouth for a text. */
export function talkMs(text: string): number {
  return Math.min(timings.talk.max, [...text].length * timings.talk.letter);
}

const spanKeptMs = 5000;

import {
  bubbleTop,
  emotionOf,
  newFaceLife,
  talkMs,
  timings,
  withChange,
  withSpan,
  type FaceLife,
  type Look,
  type Mood,
  type Reaction,
} from '@perch/screen/own-screen';
import type { RobotLooks } from '../looks.js';

/** The part of a robot's looks that its face depends on. */
interface Shown {
  mood: Mood;
  bubble: string | null;
  sound: boolean;
}

/** Follows a robot's looks and keeps what of its recent past its face still shows. */
export class RobotLife {
  #life: FaceLife;
  #before: Shown;

  constructor(seed: string, looks: RobotLooks) {
    this.#before = shownOf(looks);
    this.#life = newFaceLife(seedOf(seed), this.#before.mood, topOf(this.#before));
  }

  get now(): FaceLife {
    return this.#life;
  }

  update(looks: RobotLooks, reactions: readonly Reaction[], at: number): void {
    const [before, shown] = [this.#before, shownOf(looks)];
    this.#before = shown;
    let life: FaceLife = { ...this.#life, reactions };
    if (shown.mood !== before.mood) life = { ...life, moods: withChange(life.moods, { value: shown.mood, at }, timings.emotion) };
    if (topOf(shown) !== topOf(before)) life = { ...life, bubble: withChange(life.bubble, { value: topOf(shown), at }, timings.bubble) };
    this.#life = talking(life, looks, before, shown, at);
  }

  /** @param look null: nothing to follow */
  look(look: Look, at: number): void {
    this.#life = { ...this.#life, looks: withChange(this.#life.looks, { value: look, at }, timings.pointer.move) };
  }
}

function talking(life: FaceLife, { soundLevels = null }: RobotLooks, before: Shown, shown: Shown, at: number): FaceLife {
  const ended = life.talks.map((talk) => (talk.until === null ? { ...talk, until: at } : talk));
  if (shown.sound && !before.sound) return { ...life, talks: withSpan(ended, { at, until: null, levels: soundLevels }) };
  if (shown.sound) return { ...life, talks: life.talks.map((talk) => (talk.until === null ? { ...talk, levels: soundLevels } : talk)) };
  if (before.sound) return { ...life, talks: ended };
  if (shown.bubble !== null && shown.bubble !== before.bubble)
    return { ...life, talks: withSpan(ended, { at, until: at + talkMs(shown.bubble), levels: null }) };
  if (shown.bubble === null && before.bubble !== null)
    return { ...life, talks: life.talks.map((talk) => ({ ...talk, until: Math.min(talk.until ?? at, at) })) };
  return life;
}

function shownOf({ online, emotion, bubble, sound }: RobotLooks): Shown {
  return { mood: online ? emotionOf(emotion) : 'asleep', bubble: online ? bubble : null, sound: online && sound };
}

function topOf({ bubble }: Shown): number | null {
  return bubble === null ? null : bubbleTop(bubble);
}

function seedOf(text: string): number {
  return [...text].reduce((hash, letter) => (Math.imul(hash, 31) + letter.codePointAt(0)!) | 0, 7);
}

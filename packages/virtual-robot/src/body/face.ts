import type { Timers } from '../clock.js';
import type { Picture } from './incoming-media.js';

export const emotions = ['neutral', 'happy', 'angry', 'sad', 'doubt', 'sleepy'] as const;
export const views = ['face', 'readings'] as const;
export type Emotion = (typeof emotions)[number];
export type View = (typeof views)[number];
export interface Bubble {
  text: string;
  seconds: number;
  /** The text as a picture from the service, for a robot with the feature `bubble_picture`. */
  picture: Picture | null;
}

export interface FaceListener {
  face(state: { emotion: Emotion; view: View }): void;
  bubble(bubble: Bubble | null): void;
}

export class Face {
  emotion: Emotion = 'neutral';
  view: View = 'face';
  bubble: Bubble | null = null;
  readonly #timers: Timers;
  readonly #listener: FaceListener;
  #expiry: () => void = () => undefined;

  constructor(timers: Timers, listener: FaceListener) {
    this.#timers = timers;
    this.#listener = listener;
  }

  set(emotion: Emotion = this.emotion, view: View = this.view): { emotion: Emotion; view: View } {
    this.emotion = emotion;
    this.view = view;
    this.#listener.face({ emotion, view });
    return { emotion, view };
  }

  say(bubble: Bubble): void {
    this.#expiry();
    this.bubble = bubble;
    this.#expiry = this.#timers.after(bubble.seconds * 1000, () => {
      this.bubble = null;
      this.#listener.bubble(null);
    });
    this.#listener.bubble(bubble);
  }
}

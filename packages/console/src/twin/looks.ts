/** What a robot looks like, as plain data: all that its drawing and its description need. */

export const emotions = ['neutral', 'happy', 'angry', 'sad', 'doubt', 'sleepy'] as const;
export type Emotion = (typeof emotions)[number];

export interface LedLooks {
  /** 12 x `#rrggbb` as the robot was told: left strip 0-5 from the screen end back, right strip 6-11 from the back. Null: never told. */
  pixels: readonly string[] | null;
  effect: { name: string; color: string | null; palette: readonly string[] | null; speed: number } | null;
}

/** A small picture on the face. Screen pixels. */
export interface StickerLooks {
  id: string;
  x: number;
  y: number;
  w: number;
  h: number;
  picture: string;
}

export interface RobotLooks {
  online: boolean;
  /** One this page does not know counts as neutral. */
  emotion: string;
  /** The robot's own screen: `face` or `readings`. */
  view: string;
  /** Address of the picture that covers the robot's own screen, or null. */
  picture: string | null;
  /** Text of the speech bubble, or null. */
  bubble: string | null;
  /** Degrees: yaw + is the robot's left, pitch is up. Null: not known. */
  head: { yaw: number | null; pitch: number | null };
  leds: LedLooks;
  /** Whether a sound plays. */
  sound: boolean;
  readings: Readonly<Record<string, number | boolean | string | null>>;
  /** Percent; left out: full. */
  brightness?: number;
  /** Left out: true. */
  screenOn?: boolean;
  powerLed?: boolean;
  stickers?: readonly StickerLooks[];
}

/** A robot of which nothing is known. */
export const asleep: RobotLooks = {
  online: false,
  emotion: 'sleepy',
  view: 'face',
  picture: null,
  bubble: null,
  head: { yaw: null, pitch: null },
  leds: { pixels: null, effect: null },
  sound: false,
  readings: {},
};

export function emotionOf({ emotion }: Pick<RobotLooks, 'emotion'>): Emotion {
  return emotions.find((known) => known === emotion) ?? 'neutral';
}

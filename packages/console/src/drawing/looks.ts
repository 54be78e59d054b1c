export interface LedLooks {
  /** 12 x `#rrggbb` as sent to the robot: left strip 0-5 from front to back, right strip 6-11 from back to front. Null: never set. */
  pixels: readonly string[] | null;
  effect: { name: string; color: string | null; palette: readonly string[] | null; speed: number } | null;
}

/** A small picture on the face, in screen pixels. */
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
  /** An unknown emotion is drawn as neutral. */
  emotion: string;
  /** View without a card or question: `face` or `readings`. */
  view: string;
  /** URL; it covers the view. */
  picture: string | null;
  /** A card or question covers the view, also one without a `picture`. Default: true if there is a picture. */
  covered?: boolean;
  /** Words of the picture. Default: not known. */
  says?: string | null;
  bubble: string | null;
  /** Degrees: positive yaw is the robot's left, positive pitch is up. Null: unknown. */
  head: { yaw: number | null; pitch: number | null };
  leds: LedLooks;
  sound: boolean;
  /** Loudness of the sound since it began, 0..1, one value every `timings.talk.level`. Default: unknown. */
  soundLevels?: readonly number[] | null;
  readings: Readonly<Record<string, number | boolean | string | null>>;
  /** Percent. Default: 100. */
  brightness?: number;
  /** Default: true. */
  screenOn?: boolean;
  powerLed?: boolean;
  stickers?: readonly StickerLooks[];
}

export const unknownLooks: RobotLooks = {
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

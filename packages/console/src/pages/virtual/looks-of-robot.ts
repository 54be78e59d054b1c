import type { BrowserRobot } from '@perch/virtual-robot/browser';
import type { RobotLooks } from '../../drawing/looks.js';
import type { Loudness } from './loudness.js';

interface PictureBytes {
  format: string;
  picture: Uint8Array;
}

/** Object URLs of pictures in memory, each kept while it is shown. */
export class PictureUrls {
  readonly #urls = new Map<Uint8Array, string>();
  #used = new Set<Uint8Array>();

  of({ format, picture }: PictureBytes): string {
    this.#used.add(picture);
    let url = this.#urls.get(picture);
    if (url === undefined) {
      url = URL.createObjectURL(new Blob([picture as Uint8Array<ArrayBuffer>], { type: `image/${format}` }));
      this.#urls.set(picture, url);
    }
    return url;
  }

  /** Revokes URLs that were not used since the last call. */
  tidy(): void {
    for (const [picture, url] of this.#urls) {
      if (this.#used.has(picture)) continue;
      URL.revokeObjectURL(url);
      this.#urls.delete(picture);
    }
    this.#used = new Set();
  }

  end(): void {
    this.#used = new Set();
    this.tidy();
  }
}

export function looksOf(robot: BrowserRobot, urls: PictureUrls, loudness: Loudness): RobotLooks {
  const { screen, face, bubble, head, leds, own, playing, sensors } = robot;
  const top = screen.question ?? screen.card;
  const looks: RobotLooks = {
    online: robot.online,
    emotion: face.emotion,
    view: face.view,
    picture: top === null ? null : urls.of(top),
    bubble: bubble?.text ?? null,
    head: { yaw: head.yaw, pitch: head.pitch },
    leds,
    sound: playing?.started === true,
    soundLevels: playing?.started === true ? loudness.of(playing) : null,
    readings: sensors.latest,
    brightness: robot.brightness,
    screenOn: robot.brightness > 0,
    powerLed: own.powerLed,
    stickers: [...own.stickers.values()].flatMap(({ picture, ...sticker }) => (picture === null ? [] : [{ ...sticker, picture: urls.of(picture) }])),
  };
  urls.tidy();
  return looks;
}

import { ledLights, moves } from '../led-effects.js';
import { dark, type Light } from '../led-light.js';
import { screenHeight, screenWidth } from '../screen-size.js';
import { ledsBox, pixel } from '../shape.js';
import { drawFace, faceFrame } from './draw-face.js';
import { drawLeds, glowed } from './draw-leds.js';
import { liveMs, type Canvases, type Context, type LiveScene } from './scene.js';

/** At most 30 frames per second. */
const frameMs = 1000 / 30;

/** Draws face and LEDs: a frame only if something changed, none while they are not visible. */
export class Animator {
  readonly #canvases: Canvases<HTMLCanvasElement | OffscreenCanvas>;
  readonly #contexts: Canvases<Context>;
  #scene: LiveScene | null = null;
  #isSeen = false;
  #scale = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drawnFace = '';
  #drawnLights = '';
  #lights: Light[] = [];
  #lastMs = 0;

  constructor(canvases: Canvases<HTMLCanvasElement | OffscreenCanvas>) {
    this.#canvases = canvases;
    this.#contexts = { face: canvases.face.getContext('2d') as Context, leds: canvases.leds.getContext('2d') as Context };
    this.#resize();
  }

  show(scene: LiveScene): void {
    this.#scene = scene;
    this.#next(0);
  }

  /** @param scale device pixels per unit of the drawing */
  setScale(scale: number): void {
    if (scale === this.#scale) return;
    this.#scale = scale;
    this.#resize();
    // In the same task, since a canvas of another size is empty, which must not be seen.
    clearTimeout(this.#timer);
    if (this.#isSeen) this.#frame();
  }

  setSeen(isSeen: boolean): void {
    this.#isSeen = isSeen;
    this.#next(0);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#scene = null;
  }

  #next(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isSeen && this.#scene !== null) this.#timer = setTimeout(() => this.#frame(), ms);
  }

  #frame(): void {
    const scene = this.#scene;
    if (scene === null) return;
    const ms = liveMs();
    if (scene.isFaceShown) this.#drawFace(scene, ms);
    const isGlowing = this.#drawLeds(scene, ms);
    this.#lastMs = ms;
    if (!scene.isStill && (scene.isFaceShown || isGlowing)) this.#next(Math.max(0, frameMs - (liveMs() - ms)));
  }

  #drawFace(scene: LiveScene, ms: number): void {
    const frame = faceFrame(scene, ms);
    const text = JSON.stringify(frame);
    if (text === this.#drawnFace) return;
    this.#drawnFace = text;
    drawFace(this.#contexts.face, this.#canvases.face.width / screenWidth, frame);
  }

  /** @returns whether the lights still change */
  #drawLeds({ leds, isStill }: LiveScene, ms: number): boolean {
    const target = leds === null ? Array.from({ length: 12 }, () => dark) : ledLights(leds, ms, isStill);
    this.#lights = isStill ? target : glowed(this.#lights, target, Math.min(100, ms - this.#lastMs));
    const text = JSON.stringify(this.#lights.map((light) => light.map((channel) => Math.round(channel * 255))));
    if (text !== this.#drawnLights) {
      this.#drawnLights = text;
      drawLeds(this.#contexts.leds, this.#canvases.leds.width / ledsBox.width, this.#lights);
    }
    return (leds !== null && moves(leds)) || this.#lights.some((light, index) => light !== target[index]);
  }

  #resize(): void {
    const { face, leds } = this.#canvases;
    face.width = Math.round(screenWidth * pixel * this.#scale);
    face.height = Math.round(screenHeight * pixel * this.#scale);
    leds.width = Math.round(ledsBox.width * this.#scale);
    leds.height = Math.round(ledsBox.height * this.#scale);
    this.#drawnFace = '';
    this.#drawnLights = '';
  }
}

import { viewBox } from '../shape.js';
import { Animator } from './animator.js';
import type { Canvases, LiveMessage, LiveScene } from './scene.js';

/** Device pixels per unit of the drawing: more are not seen, and cost memory. */
const scaleMax = 1.6;

/** The canvases of a drawn robot: a worker draws on them, or the page itself in browsers without OffscreenCanvas, while the robot is on the screen. */
export class LiveDrawing {
  readonly #elements: Canvases<HTMLCanvasElement>;
  readonly #send: (message: LiveMessage) => void;
  readonly #ends: (() => void)[] = [];

  constructor(figure: Element, hosts: Canvases<Element>) {
    const elements = { face: document.createElement('canvas'), leds: document.createElement('canvas') };
    this.#elements = elements;
    hosts.face.append(elements.face);
    hosts.leds.append(elements.leds);
    this.#send = this.#start();
    this.#watchVisibility(figure);
    this.#watchSize(figure);
  }

  show(scene: LiveScene): void {
    this.#send({ kind: 'scene', scene });
  }

  end(): void {
    for (const end of this.#ends) end();
    this.#elements.face.remove();
    this.#elements.leds.remove();
  }

  #start(): (message: LiveMessage) => void {
    const { face, leds } = this.#elements;
    if (!('transferControlToOffscreen' in face)) return this.#startHere();
    const worker = new Worker(new URL('./live-worker.ts', import.meta.url), { type: 'module' });
    this.#ends.push(() => worker.terminate());
    const canvases = { face: face.transferControlToOffscreen(), leds: leds.transferControlToOffscreen() };
    worker.postMessage({ kind: 'canvases', canvases } satisfies LiveMessage, [canvases.face, canvases.leds]);
    return (message) => worker.postMessage(message);
  }

  #startHere(): (message: LiveMessage) => void {
    const animator = new Animator(this.#elements);
    this.#ends.push(() => animator.stop());
    return (message) => {
      if (message.kind === 'scene') animator.show(message.scene);
      else if (message.kind === 'scale') animator.setScale(message.scale);
      else if (message.kind === 'seen') animator.setSeen(message.isSeen);
    };
  }

  #watchVisibility(figure: Element): void {
    let isOnScreen = false;
    const report = (): void => this.#send({ kind: 'seen', isSeen: isOnScreen && document.visibilityState === 'visible' });
    const observer = new IntersectionObserver((entries) => {
      isOnScreen = entries.at(-1)!.isIntersecting;
      report();
    });
    observer.observe(figure);
    document.addEventListener('visibilitychange', report);
    this.#ends.push(
      () => observer.disconnect(),
      () => document.removeEventListener('visibilitychange', report),
    );
  }

  #watchSize(figure: Element): void {
    const observer = new ResizeObserver((entries) => {
      const scale = (entries.at(-1)!.contentRect.width / viewBox.width) * devicePixelRatio;
      this.#send({ kind: 'scale', scale: Math.min(scaleMax, Math.max(0.25, Math.ceil(scale * 10) / 10)) });
    });
    observer.observe(figure);
    this.#ends.push(() => observer.disconnect());
  }
}

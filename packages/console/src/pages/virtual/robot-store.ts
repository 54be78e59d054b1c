/** The page's robot while somebody looks at it: made and dialled for the first who does, redrawn whenever anything of it changes, ended with the last. */
import type { RobotLooks } from '../../twin/looks.js';
import type { Gesture } from '../../twin/use-motion.js';
import { looksOf, PictureUrls } from './looks-of-robot.js';
import { PageRobot } from './page-robot.js';
import { SoundPlayer } from './sound-player.js';
import { WorkerClock } from './worker-clock.js';

export interface RobotView {
  page: PageRobot;
  player: SoundPlayer;
  looks: RobotLooks;
  gesture: Gesture | null;
}

export class RobotStore {
  #link: { url: string; token: string };
  readonly #listeners = new Set<() => void>();
  #view: RobotView | null = null;
  #end: () => void = () => undefined;

  /** @param link where it dials, and as whom */
  constructor(link: { url: string; token: string }) {
    this.#link = link;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#begin();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#end();
    };
  };

  /** Another one after each change; null while nobody looks. */
  readonly view = (): RobotView | null => this.#view;

  /** Dials there from now on, as the same robot: what it shows and what was done to it stays. */
  readonly moveTo = (url: string): void => {
    if (url === this.#link.url) return;
    this.#link = { ...this.#link, url };
    void this.#view?.page.moveTo(url);
  };

  #begin(): void {
    const clock = new WorkerClock();
    const urls = new PictureUrls();
    let gesture: Gesture | null = null;
    let over = false;
    const changed = (): void => {
      if (over) return;
      this.#view = { page, player, looks: looksOf(page.robot, urls), gesture };
      for (const listener of this.#listeners) listener();
    };
    const page: PageRobot = new PageRobot({ ...this.#link, clock, onPhase: () => changed() });
    const player: SoundPlayer = new SoundPlayer(page.robot, () => changed());
    const offs = [
      page.robot.on('head', ({ gesture: name, moving }) => {
        if (name !== null && moving) gesture = { name, count: (gesture?.count ?? 0) + 1 };
      }),
      page.robot.on('change', changed),
      onFirstTouch(player),
      onReturn(() => void page.hurry()),
      onForbidden(
        () => this.#link.url,
        () => page.forbid(),
      ),
    ];
    this.#end = () => {
      over = true;
      for (const off of offs) off();
      this.#view = null;
      player.end();
      urls.end();
      void page.stop().finally(() => clock.end());
    };
    page.start();
  }
}

/** The first press anywhere lets the page be heard; at once where there was one before the page came. */
function onFirstTouch(player: SoundPlayer): () => void {
  const kinds = ['pointerdown', 'pointerup', 'keydown'] as const;
  const stop = (): void => {
    for (const kind of kinds) document.removeEventListener(kind, touched, true);
  };
  const touched = (): void => {
    // What a browser still does not allow is tried again at the next press.
    player.unlock().then(
      () => {
        if (!player.blocked) stop();
      },
      () => undefined,
    );
  };
  for (const kind of kinds) document.addEventListener(kind, touched, true);
  if (navigator.userActivation?.hasBeenActive) touched();
  return stop;
}

/** The page's policy forbids the dial: it was loaded when robots connected elsewhere. */
function onForbidden(url: () => string, then: () => void): () => void {
  // Of an address that is no page's some browsers tell the scheme alone.
  const forbidden = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void => {
    if (effectiveDirective === 'connect-src' && blockedURI !== '' && url().startsWith(blockedURI)) then();
  };
  document.addEventListener('securitypolicyviolation', forbidden);
  return () => document.removeEventListener('securitypolicyviolation', forbidden);
}

/** The network is back, or the person: a good moment to dial. */
function onReturn(then: () => void): () => void {
  const back = (): void => {
    if (document.visibilityState === 'visible') then();
  };
  document.addEventListener('visibilitychange', back);
  window.addEventListener('online', back);
  return () => {
    document.removeEventListener('visibilitychange', back);
    window.removeEventListener('online', back);
  };
}

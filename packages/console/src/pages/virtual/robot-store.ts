/** The page's robot from its start to its stop, whichever pages are shown meanwhile; publishes a new view on each change. */
import type { Reaction } from '@perch/screen/own-screen';
import type { RobotLooks } from '../../drawing/looks.js';
import type { Gesture } from '../../drawing/use-motion.js';
import { looksOf, PictureUrls } from './looks-of-robot.js';
import { Loudness } from './loudness.js';
import { isHere, PageRobot } from './page-robot.js';
import type { RunningRobot } from '../../robot-tabs.js';
import { RobotReactions } from './robot-reactions.js';
import { SoundPlayer } from './sound-player.js';
import { WorkerClock } from './clock/worker-clock.js';

export interface RobotView {
  page: PageRobot;
  player: SoundPlayer;
  looks: RobotLooks;
  gesture: Gesture | null;
  reactions: readonly Reaction[];
}

export class RobotStore implements RunningRobot {
  #link: { url: string; token: string };
  readonly #listeners = new Set<() => void>();
  #view: RobotView | null = null;
  #end: () => void = () => undefined;
  #feel: (kind: 'shaken' | 'lifted') => void = () => undefined;

  constructor(link: { url: string; token: string }) {
    this.#link = link;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get token(): string {
    return this.#link.token;
  }

  get isHere(): boolean {
    return this.#view !== null && isHere(this.#view.page.phase);
  }

  start(): void {
    if (this.#view === null) this.#begin();
    else if (this.#view.page.phase.name === 'elsewhere') this.#view.page.start();
  }

  stop(): void {
    this.#end();
    this.#end = () => undefined;
  }

  /** Returns a new object after each change; null before the start. */
  readonly view = (): RobotView | null => this.#view;

  /** Connects to this URL from now on; the robot keeps its state. */
  readonly moveTo = (url: string): void => {
    if (url === this.#link.url) return;
    this.#link = { ...this.#link, url };
    void this.#view?.page.moveTo(url);
  };

  /** Lets the robot's face react to a movement that the person gives it. */
  readonly feel = (kind: 'shaken' | 'lifted'): void => this.#feel(kind);

  #begin(): void {
    const clock = new WorkerClock();
    const urls = new PictureUrls();
    const loudness = new Loudness();
    let gesture: Gesture | null = null;
    let over = false;
    const changed = (): void => {
      if (over) return;
      this.#view = { page, player, looks: looksOf(page.robot, urls, loudness), gesture, reactions: reactions.recent };
      for (const listener of this.#listeners) listener();
    };
    const page: PageRobot = new PageRobot({ ...this.#link, clock, onPhase: () => changed() });
    const reactions = new RobotReactions(page.robot);
    this.#feel = (kind) => {
      reactions.feel(kind);
      changed();
    };
    const player: SoundPlayer = new SoundPlayer(page.robot, () => changed());
    const offs = [
      page.robot.on('head', ({ gesture: name, moving }) => {
        if (name !== null && moving) gesture = { name, count: (gesture?.count ?? 0) + 1 };
      }),
      page.robot.on('change', changed),
      onFirstTouch(player),
      onReturn(() => void page.dialNow()),
      onForbidden(
        () => this.#link.url,
        () => page.stopForbidden(),
      ),
    ];
    this.#end = () => {
      over = true;
      for (const off of offs) off();
      this.#view = null;
      reactions.end();
      player.end();
      urls.end();
      void page.stop().finally(() => clock.end());
    };
    page.start();
  }
}

/** Unlocks sound on the first key press or touch, or at once if there was one before. */
function onFirstTouch(player: SoundPlayer): () => void {
  const kinds = ['pointerdown', 'pointerup', 'keydown'] as const;
  const stop = (): void => {
    for (const kind of kinds) document.removeEventListener(kind, touched, true);
  };
  const touched = (): void => {
    // If the browser still blocks it, the next press tries again.
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

/** Reports that the page's policy forbids the URL, because robots connected elsewhere when the page was loaded. */
function onForbidden(url: () => string, then: () => void): () => void {
  // For ws: URLs, some browsers report only the scheme.
  const forbidden = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void => {
    if (effectiveDirective === 'connect-src' && blockedURI !== '' && url().startsWith(blockedURI)) then();
  };
  document.addEventListener('securitypolicyviolation', forbidden);
  return () => document.removeEventListener('securitypolicyviolation', forbidden);
}

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

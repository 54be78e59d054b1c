/** The page's robot for as long as the page is there: made, dialled, redrawn whenever anything of it changes, and ended. */
import { useEffect, useReducer, useState } from 'react';
import type { RobotLooks } from '../../twin/looks.js';
import type { Gesture } from '../../twin/use-motion.js';
import { looksOf, PictureUrls } from './looks-of-robot.js';
import { PageRobot } from './page-robot.js';
import { SoundPlayer } from './sound-player.js';
import { WorkerClock } from './worker-clock.js';

export interface Being {
  page: PageRobot;
  player: SoundPlayer;
}

/** Null until it is made. */
export function usePageRobot(url: string, token: string): (Being & { looks: RobotLooks; gesture: Gesture | null }) | null {
  const [being, setBeing] = useState<(Being & { urls: PictureUrls }) | null>(null);
  const [gesture, setGesture] = useState<Gesture | null>(null);
  const [, changed] = useReducer((count: number) => count + 1, 0);

  useEffect(() => {
    const clock = new WorkerClock();
    const urls = new PictureUrls();
    const page = new PageRobot({ url, token, clock, onPhase: changed });
    const player = new SoundPlayer(page.robot, changed);
    page.robot.on('change', changed);
    page.robot.on('head', ({ gesture: name, moving }) => {
      if (name !== null && moving) setGesture((before) => ({ name, count: (before?.count ?? 0) + 1 }));
    });
    const stopListening = onFirstTouch(player);
    const back = (): void => {
      if (document.visibilityState === 'visible') void page.hurry();
    };
    document.addEventListener('visibilitychange', back);
    window.addEventListener('online', back);
    setBeing({ page, player, urls });
    page.start();
    return () => {
      document.removeEventListener('visibilitychange', back);
      window.removeEventListener('online', back);
      stopListening();
      player.end();
      urls.end();
      setBeing(null);
      void page.stop().finally(() => clock.end());
    };
  }, [url, token]);

  return being && { page: being.page, player: being.player, looks: looksOf(being.page.robot, being.urls), gesture };
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

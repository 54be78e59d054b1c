/** How the robots page shows robots: the person's choice, stored in this browser, else by their number. */
import { useState } from 'react';

export type RobotsView = 'cards' | 'list';

const stored = 'perch-robots-view';

export function useRobotsView(byNumber: RobotsView): [RobotsView, (view: RobotsView) => void] {
  const [chosen, setChosen] = useState(kept);
  const choose = (view: RobotsView): void => {
    setChosen(view);
    try {
      localStorage.setItem(stored, view);
    } catch {
      // Without storage, the choice is lost on reload.
    }
  };
  return [chosen ?? byNumber, choose];
}

function kept(): RobotsView | null {
  try {
    const view = localStorage.getItem(stored);
    return view === 'cards' || view === 'list' ? view : null;
  } catch {
    return null;
  }
}

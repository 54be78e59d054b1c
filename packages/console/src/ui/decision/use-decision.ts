import { useEffect, useRef, useState, type MouseEvent } from 'react';
import { DecisionGuard, pageClock, type DecisionState } from './decision-guard.js';

interface Watch {
  guard: DecisionGuard;
  /** Notes an event of a person, before which the page may not know that it is in view. */
  noteUse: (event: Event) => void;
}

/** @param about text of what is decided; a change starts the time again */
export function useDecision(about: string): { state: DecisionState; decides: (click: MouseEvent) => boolean } {
  const [state, setState] = useState<DecisionState>(() => (isVisible() && document.hasFocus() ? 'early' : 'away'));
  const current = useRef<Watch | null>(null);
  useEffect(() => {
    const guard = new DecisionGuard(pageClock, setState);
    // Browsers inside apps say that a page has the focus only once it was tapped, or never.
    let isUsed = false;
    const look = (): void => guard.see(isVisible() && (isUsed || document.hasFocus()));
    const leave = (): void => {
      isUsed = false;
      guard.see(false);
    };
    const noteUse = ({ isTrusted }: Event): void => {
      isUsed ||= isTrusted;
      look();
    };
    current.current = { guard, noteUse };
    const listening = new AbortController();
    const { signal } = listening;
    // Not captured: the window would get the events of its elements, too.
    window.addEventListener('focus', look, { signal });
    window.addEventListener('blur', leave, { signal });
    window.addEventListener('pageshow', look, { signal });
    window.addEventListener('pagehide', leave, { signal });
    document.addEventListener('visibilitychange', () => (isVisible() ? look() : leave()), { signal });
    const before = { capture: true, signal };
    const pointerDown = (event: Event): void => {
      noteUse(event);
      guard.pointerDown();
    };
    const keyDown = (event: KeyboardEvent): void => {
      noteUse(event);
      guard.keyDown(event.key, event.repeat);
    };
    document.addEventListener('pointerdown', pointerDown, before);
    document.addEventListener('keydown', keyDown, before);
    document.addEventListener('keyup', ({ key }) => guard.keyUp(key), before);
    look();
    return () => {
      listening.abort();
      guard.stop();
    };
  }, []);
  useEffect(() => current.current?.guard.decideOn(about), [about]);
  const decides = ({ nativeEvent, detail }: MouseEvent): boolean => {
    current.current?.noteUse(nativeEvent);
    return current.current?.guard.click(detail > 0) === true;
  };
  return { state, decides };
}

function isVisible(): boolean {
  return document.visibilityState === 'visible';
}

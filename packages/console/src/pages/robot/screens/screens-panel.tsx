/** Its contents are loaded, and its pictures drawn, only while the panel is open. */
import { lazy, Suspense, useState } from 'react';
import { Loading } from '../../../ui/shell/page.js';
import type { EarlierScreensProps } from './earlier-screens.js';

const EarlierScreens = lazy(() => import('./earlier-screens.js'));

export function ScreensPanel({ robot, onTry }: EarlierScreensProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="card robot-screens" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Earlier screens</summary>
      {isOpen && (
        <Suspense fallback={<Loading label="Loading the earlier screens" lines={1} />}>
          <EarlierScreens robot={robot} onTry={onTry} />
        </Suspense>
      )}
    </details>
  );
}

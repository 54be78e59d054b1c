import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import { CallError, messageOf } from '../../api/call-error.js';
import { Button } from '../controls/button.js';
import { Notice } from '../notice.js';
import './page.css';

export interface PageHeadProps {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  above?: ReactNode;
}

export function PageHead({ title, lead, actions, above }: PageHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useTitle(title);
  // Focuses the title for keyboard and screen reader users, unless something else took the focus. After the next frame, because `focus` needs the layout
  // of the whole page: before, the browser would make it here and once more for the frame.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => {
        if (document.activeElement === document.body || document.activeElement === null) heading.current?.focus({ preventScroll: true });
      });
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return (
    <header className="page-head">
      {above}
      <div className="page-head-row">
        <div className="page-head-text">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p className="muted">{lead}</p>}
        </div>
        {actions && <div className="page-head-actions">{actions}</div>}
      </div>
    </header>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === 'Perch' ? title : `${title} · Perch`;
  }, [title]);
}

/** Explains what belongs here and how to add it. */
export function Empty({ picture, title, children, actions }: { picture?: ReactNode; title: string; children: ReactNode; actions?: ReactNode }) {
  return (
    <section className="empty card">
      {picture}
      <div className="empty-text">
        <h2>{title}</h2>
        <div className="muted">{children}</div>
        {actions && <div className="row">{actions}</div>}
      </div>
    </section>
  );
}

export function Loading({ label, lines = 3 }: { label: string; lines?: number }) {
  return (
    <div className="loading" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="loading-line" />
      ))}
    </div>
  );
}

/** Pause before a page that the service could not load is loaded again, ms. */
const retryMs = 5000;

/** Tries again by itself where the service could not be reached or failed. */
export function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const retry = useEffectEvent(onRetry);
  const isPassing = error instanceof CallError && (error.status === 0 || error.status >= 500);
  useEffect(() => {
    if (!isPassing) return;
    const look = (): void => {
      if (document.visibilityState === 'visible') retry();
    };
    const timer = setInterval(look, retryMs);
    window.addEventListener('online', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, [isPassing]);
  return (
    <Notice
      tone="bad"
      action={
        <Button small icon="replay" onPress={onRetry}>
          Try again
        </Button>
      }
    >
      {messageOf(error)}
    </Notice>
  );
}

import type { ReactNode } from 'react';

export function Panel({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section className="virtual-panel card" aria-label={title}>
      <h2>{title}</h2>
      {hint === undefined ? null : <p className="muted">{hint}</p>}
      {children}
    </section>
  );
}

import type { ReactNode } from 'react';

export function Part({ title, note, children }: { title: string; note: string; children: ReactNode }) {
  return (
    <section className="card robot-settings-part">
      <div>
        <h2>{title}</h2>
        <p className="muted">{note}</p>
      </div>
      {children}
    </section>
  );
}

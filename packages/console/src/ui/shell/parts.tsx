/** A page of settings: a card for each part, and on a wide window a list of links to the parts beside them. */
import { useEffect, type ReactNode } from 'react';
import './parts.css';

export function Parts({ parts, children }: { parts: Readonly<Record<string, string>>; children: ReactNode }) {
  // The browser looks for the part of the address before the page has loaded it.
  useEffect(() => {
    const id = window.location.hash.slice(1);
    if (Object.hasOwn(parts, id)) document.getElementById(id)?.scrollIntoView();
  }, [parts]);
  return (
    <div className="parts">
      <nav className="parts-list" aria-label="On this page">
        <ul>
          {Object.entries(parts).map(([id, title]) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="parts-cards">{children}</div>
    </div>
  );
}

export function Part({ id, title, note, children }: { id: string; title: string; note: string; children: ReactNode }) {
  return (
    <section id={id} className="card part">
      <div className="part-head">
        <h2>{title}</h2>
        <p className="muted">{note}</p>
      </div>
      <div className="part-content stack">{children}</div>
    </section>
  );
}

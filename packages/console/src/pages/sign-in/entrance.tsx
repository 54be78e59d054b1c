/** Where strangers come in: a card with the form, and a robot that looks at them. */
import type { ReactNode } from 'react';
import { Brand } from '../../ui/shell/brand.js';
import { useTitle } from '../../ui/shell/page.js';
import { Greeter } from './greeter.js';
import './entrance.css';

export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <div className="entrance">
      <main className="entrance-form">
        <Brand />
        <h1>{title}</h1>
        {children}
      </main>
      <aside className="entrance-side" aria-hidden="true">
        <Greeter />
      </aside>
    </div>
  );
}

import type { ReactNode } from 'react';
import { Brand } from '../../ui/shell/brand.js';
import { useTitle } from '../../ui/shell/page.js';
import { RobotIllustration } from './robot-illustration.js';
import './auth-layout.css';

export function AuthLayout({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <div className="auth-layout">
      <main className="auth-layout-form">
        <Brand />
        <h1>{title}</h1>
        {children}
      </main>
      <aside className="auth-layout-side" aria-hidden="true">
        <RobotIllustration />
      </aside>
    </div>
  );
}

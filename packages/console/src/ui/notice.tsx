import type { ReactNode } from 'react';
import { Icon } from './icon.js';
import './notice.css';

export interface NoticeProps {
  tone: 'info' | 'good' | 'warn' | 'bad';
  children: ReactNode;
  action?: ReactNode;
}

export function Notice({ tone, children, action }: NoticeProps) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={tone === 'good' ? 'check' : tone === 'info' ? 'info' : 'alert'} />
      <div className="notice-text">{children}</div>
      {action}
    </div>
  );
}

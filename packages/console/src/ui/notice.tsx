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
    <div className={`notice notice-${tone}`}>
      <Icon name={tone === 'good' ? 'check' : tone === 'info' ? 'info' : 'alert'} />
      <div className="notice-text" role={tone === 'bad' ? 'alert' : 'status'}>
        {children}
      </div>
      {action}
    </div>
  );
}

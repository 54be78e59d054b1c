/** A page that broke: says so, and lets it be tried again. What the browser could not fetch after an update is fetched by a reload. */
import { Component, type ReactNode } from 'react';
import { Button } from '../controls/button.js';
import { Notice } from '../notice.js';

export class ErrorBoundary extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true };
  }

  override render(): ReactNode {
    if (!this.state.broken) return this.props.children;
    return (
      <div className="bare">
        <Notice tone="bad" action={<Button onPress={() => location.reload()}>Reload</Button>}>
          This page could not be shown. Perch may have been updated meanwhile, or the connection is gone: reload it.
        </Notice>
      </div>
    );
  }
}

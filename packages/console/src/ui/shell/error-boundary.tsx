/** Shows a reload button if rendering fails, or if a file of the page is gone after an update. */
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
          This page could not be shown. Perch may have been updated, or the connection was lost. Reload the page.
        </Notice>
      </div>
    );
  }
}

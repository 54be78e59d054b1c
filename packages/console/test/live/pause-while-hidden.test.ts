import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { pauseWhileHidden } from '../../src/api/live/pause-while-hidden.js';

class Tab extends EventTarget {
  visibilityState: DocumentVisibilityState;

  constructor(visibilityState: DocumentVisibilityState) {
    super();
    this.visibilityState = visibilityState;
  }

  become(visibilityState: DocumentVisibilityState): void {
    this.visibilityState = visibilityState;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

describe('pauseWhileHidden', () => {
  let calls: string[];
  let end: (() => void) | undefined;
  const stream = { pause: () => calls.push('pause'), resume: () => calls.push('resume') };
  beforeEach(() => {
    calls = [];
  });
  afterEach(() => end?.());

  it('pauses the stream of a tab that is hidden for a while, and resumes it when the tab is shown', async () => {
    const tab = new Tab('visible');
    end = pauseWhileHidden(stream, tab as unknown as Document, 20);
    tab.become('hidden');
    assert.deepEqual(calls, []);
    await until(() => calls.length > 0);
    tab.become('visible');
    assert.deepEqual(calls, ['pause', 'resume']);
  });

  it('keeps the stream of a tab that is hidden briefly', async () => {
    const tab = new Tab('visible');
    end = pauseWhileHidden(stream, tab as unknown as Document, 30);
    tab.become('hidden');
    tab.become('visible');
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.deepEqual(calls, ['resume']);
  });

  it('pauses the stream of a tab that was opened in the background', () => {
    end = pauseWhileHidden(stream, new Tab('hidden') as unknown as Document);
    assert.deepEqual(calls, ['pause']);
  });

  it('leaves the stream alone after it was stopped', async () => {
    const tab = new Tab('visible');
    end = pauseWhileHidden(stream, tab as unknown as Document, 20);
    tab.become('hidden');
    end();
    tab.become('visible');
    await new Promise((resolve) => setTimeout(resolve, 40));
    assert.deepEqual(calls, []);
  });
});

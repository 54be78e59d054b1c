/** Which tabs hold a stream. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { restWhileHidden } from '../src/api/rest-while-hidden.js';

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

describe('the stream of a tab', () => {
  let told: string[];
  let end: (() => void) | undefined;
  const stream = { rest: () => told.push('rest'), resume: () => told.push('resume') };
  beforeEach(() => {
    told = [];
  });
  afterEach(() => end?.());

  it('rests when the tab was hidden for a while, and goes on when it is seen', async () => {
    const tab = new Tab('visible');
    end = restWhileHidden(stream, tab as unknown as Document, 20);
    tab.become('hidden');
    assert.deepEqual(told, []);
    await until(() => told.length > 0);
    tab.become('visible');
    assert.deepEqual(told, ['rest', 'resume']);
  });

  it('goes on while the tab is hidden for a moment', async () => {
    const tab = new Tab('visible');
    end = restWhileHidden(stream, tab as unknown as Document, 30);
    tab.become('hidden');
    tab.become('visible');
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.deepEqual(told, ['resume']);
  });

  it('does not begin in a tab that was opened behind another', () => {
    end = restWhileHidden(stream, new Tab('hidden') as unknown as Document);
    assert.deepEqual(told, ['rest']);
  });

  it('is left alone when its page is gone', async () => {
    const tab = new Tab('visible');
    end = restWhileHidden(stream, tab as unknown as Document, 20);
    tab.become('hidden');
    end();
    tab.become('visible');
    await new Promise((resolve) => setTimeout(resolve, 40));
    assert.deepEqual(told, []);
  });
});

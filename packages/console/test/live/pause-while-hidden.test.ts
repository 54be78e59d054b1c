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

/** Delivers messages in the order in which they were posted, a moment later, as browsers do. */
class Channel extends EventTarget {
  readonly #all: Set<Channel>;

  constructor(all: Set<Channel>) {
    super();
    this.#all = all;
    all.add(this);
  }

  postMessage(data: unknown): void {
    for (const other of this.#all)
      if (other !== this) queueMicrotask(() => this.#all.has(other) && other.dispatchEvent(new MessageEvent('message', { data })));
  }

  close(): void {
    this.#all.delete(this);
  }
}

class Page {
  readonly calls: string[] = [];
  readonly tab: Tab;
  readonly window = new EventTarget();
  readonly end: () => void;

  constructor(visibilityState: DocumentVisibilityState, { afterMs = 10_000, channels = null as Set<Channel> | null } = {}) {
    this.tab = new Tab(visibilityState);
    const { end } = pauseWhileHidden({
      stream: { pause: () => this.calls.push('pause'), resume: () => this.calls.push('resume') },
      tab: this.tab as unknown as Document,
      window: this.window as unknown as Window,
      openChannel: channels === null ? null : () => new Channel(channels) as unknown as BroadcastChannel,
      onCrowdedOut: (is) => this.calls.push(is ? 'crowded out' : 'back'),
      afterMs,
    });
    this.end = end;
  }

  fire(name: string): void {
    this.window.dispatchEvent(new Event(name));
  }
}

/** Returns once all messages are delivered, and those that they cause. */
const settled = (): Promise<void> => new Promise((done) => void setImmediate(done));

describe('pauseWhileHidden', () => {
  const pages: Page[] = [];
  const open = (...args: ConstructorParameters<typeof Page>): Page => {
    const page = new Page(...args);
    pages.push(page);
    return page;
  };
  afterEach(() => {
    for (const page of pages.splice(0)) page.end();
  });

  it('pauses the stream of a tab that is hidden for a while, and resumes it when the tab is shown', async () => {
    const { tab, calls } = open('visible', { afterMs: 20 });
    tab.become('hidden');
    assert.deepEqual(calls, []);
    await until(() => calls.length > 0);
    tab.become('visible');
    assert.deepEqual(calls, ['pause', 'resume']);
  });

  it('keeps the stream of a tab that is hidden briefly', async () => {
    const { tab, calls } = open('visible', { afterMs: 30 });
    tab.become('hidden');
    tab.become('visible');
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.deepEqual(calls, ['resume']);
  });

  it('pauses the stream of a tab that was opened in the background', () => {
    assert.deepEqual(open('hidden').calls, ['pause']);
  });

  it('leaves the stream alone after it was stopped', async () => {
    const { tab, calls, end } = open('visible', { afterMs: 20 });
    tab.become('hidden');
    end();
    tab.become('visible');
    await new Promise((resolve) => setTimeout(resolve, 40));
    assert.deepEqual(calls, []);
  });

  it('pauses the stream of a page that is left at once, and resumes it when the browser shows the page again', () => {
    const page = open('visible', { channels: new Set() });
    page.fire('pagehide');
    assert.deepEqual(page.calls, ['pause']);
    page.fire('pageshow');
    assert.deepEqual(page.calls, ['pause', 'resume']);
  });

  it('sends nothing to a page that is left, which the browser would discard for it', () => {
    const channels = new Set<Channel>();
    const left = open('visible', { channels });
    left.fire('pagehide');
    assert.equal(channels.size, 0);
    left.fire('pageshow');
    assert.equal(channels.size, 1);
  });

  it('pauses the stream of a hidden tab at once when another page opens one', async () => {
    const channels = new Set<Channel>();
    const hidden = open('visible', { channels });
    hidden.tab.become('hidden');
    assert.deepEqual(hidden.calls, []);
    open('visible', { channels });
    await settled();
    assert.deepEqual(hidden.calls, ['pause']);
  });

  it('leaves the streams to the four windows used last, and gives the next one its stream when one of them closes', async () => {
    const channels = new Set<Channel>();
    const [first, second, third] = Array.from({ length: 5 }, () => open('visible', { channels })) as [Page, Page, Page];
    await settled();
    assert.deepEqual(first.calls, ['crowded out', 'pause']);
    third.fire('pagehide');
    await settled();
    assert.deepEqual(first.calls, ['crowded out', 'pause', 'back', 'resume']);
    assert.deepEqual(second.calls, []);
  });

  it('gives a window that is used its stream, and pauses the one that was used least recently', async () => {
    const channels = new Set<Channel>();
    const [first, second] = Array.from({ length: 5 }, () => open('visible', { channels })) as [Page, Page];
    await settled();
    first.fire('focus');
    await settled();
    assert.deepEqual(first.calls, ['crowded out', 'pause', 'back', 'resume']);
    assert.deepEqual(second.calls, ['crowded out', 'pause']);
  });

  it('leaves the stream to any number of windows that do not share connections', () => {
    for (const page of Array.from({ length: 8 }, () => open('visible'))) assert.deepEqual(page.calls, []);
  });
});

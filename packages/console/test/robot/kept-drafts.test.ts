import assert from 'node:assert/strict';
import { PickedPicture } from '../../src/pages/robot/playground/draft/draft.js';
import { DraftStore } from '../../src/pages/robot/playground/draft/draft-store.js';

class Tab {
  readonly items = new Map<string, string>();
  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.items.set(key, value);
  }
}

describe('DraftStore', () => {
  it('restores drafts unchanged, for the same robot only', () => {
    const tab = new Tab();
    const kept = { action: 'ask', drafts: { ask: { question: 'Tea?', answers: ['Yes', ''], timeout_s: '2x' }, leds: { off: true } } };
    new DraftStore(tab, 'r-1').write(kept);
    assert.deepEqual(new DraftStore(tab, 'r-1').read(), kept);
    assert.equal(new DraftStore(tab, 'r-2').read(), null);
  });

  it('stores drafts without their pictures', () => {
    const tab = new Tab();
    const image = new PickedPicture('a.png', 'image/png', 'AAAA');
    const drafts = {
      menu: { items: [{ label: 'Soup', image }, { image }] },
      show: { image, text: 'x' },
      clickmap: { regions: [{ id: 'a', circle: [1, 2, 3] }] },
    };
    new DraftStore(tab, 'r-1').write({ action: 'menu', drafts: drafts as never });
    assert.doesNotMatch(tab.items.get('perch:playground:r-1')!, /AAAA/);
    assert.deepEqual(new DraftStore(tab, 'r-1').read(), {
      action: 'menu',
      drafts: { menu: { items: [{ label: 'Soup' }, {}] }, show: { text: 'x' }, clickmap: { regions: [{ id: 'a', circle: [1, 2, 3] }] } },
    });
  });

  it('returns null without failing if storage is full or holds invalid data', () => {
    const tab = new Tab();
    tab.items.set('perch:playground:r-1', '{');
    assert.equal(new DraftStore(tab, 'r-1').read(), null);
    const full = new DraftStore(
      {
        getItem: () => null,
        setItem: () => {
          throw new Error('QuotaExceededError');
        },
      },
      'r-1',
    );
    full.write({ action: 'say', drafts: {} });
    assert.equal(full.read(), null);
  });
});

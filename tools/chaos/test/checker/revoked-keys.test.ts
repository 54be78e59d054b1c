import { answerOrEvent } from '../../src/checker/answer-or-event.js';
import { revokedKeys } from '../../src/checker/revoked-keys.js';
import { waits } from '../../src/checker/waits.js';
import type { CallRequest, Ending } from '../../src/history/records.js';
import { breaks, holds } from './prove.js';
import { ask, ended, failed, ok, Story } from './story.js';

const leds: CallRequest = { kind: 'marked', mark: 'leds 1' };
const unauthorized = failed(401, 'unauthorized');

describe('the checker, revoked keys', () => {
  let story: Story;
  beforeEach(() => {
    story = new Story();
    story.history.revocations.push({ at: 1000, account: 'a1', apiKey: 'k1' });
  });

  function acts(at: number, ending: Ending, apiKey = 'k1'): void {
    story.call(at, at + 30, leds, ending, { apiKey });
  }

  it('accepts a key that works until a second after its revocation and is refused from then on', () => {
    acts(500, ok());
    acts(1900, ok());
    acts(2100, unauthorized);
    holds(revokedKeys, story);
  });

  it('reports a call that begins more than a second after the revocation and is answered ok', () => {
    acts(2100, ok());
    breaks(revokedKeys, story, /began 1100 ms after its key was revoked/);
  });

  it('accepts other keys of the account, and a key whose revocation Redis lost', () => {
    acts(2100, ok(), 'k2');
    holds(revokedKeys, story);
    acts(2100, ok());
    story.evidence = { ...story.evidence, loss: { from: 900, to: 1200 } };
    holds(revokedKeys, story);
  });

  it('reports a revoked key if Redis lost something else', () => {
    acts(2100, ok());
    story.evidence = { ...story.evidence, loss: { from: 1100, to: 1200 } };
    breaks(revokedKeys, story, /began 1100 ms/);
  });

  it('reports a question that is answered seconds after its key was revoked', () => {
    story.call(900, 2900, ask, ended('timed_out'));
    holds(revokedKeys, story);
    story.call(900, 3100, ask, ended('timed_out'));
    breaks(revokedKeys, story, /was held for 2100 ms/);
  });

  it('allows for a slow machine, and for a gateway that cannot reach Redis', () => {
    story.call(900, 3100, ask, ended('timed_out'));
    story.evidence = { ...story.evidence, stallMs: () => 60 };
    holds(revokedKeys, story);
    story.evidence = { ...story.evidence, stallMs: () => 0 };
    story.evidence.gateways.get('gateway-0')!.served.impair(2000);
    holds(revokedKeys, story);
  });

  it('counts a question that ended with its key as open: it may have replaced another or taken a touch', () => {
    story.call(700, 920, ask, ended('replaced'), { apiKey: 'k2' });
    story.call(900, 1500, ask, unauthorized);
    holds(waits, story);
    story.shows(950, 'q1');
    story.gesture(970, 2, 'tap', { x: 60.5, y: 170 });
    story.safe(1000, 2);
    story.log([[1, 'connected', {}]]);
    holds(answerOrEvent, story);
  });

  it('counts a question that was refused for a revoked key as never opened', () => {
    story.call(1100, 1300, ask, ended('replaced'), { apiKey: 'k2' });
    story.call(1200, 1210, ask, unauthorized);
    breaks(waits, story, /there was no other wait/);
  });
});

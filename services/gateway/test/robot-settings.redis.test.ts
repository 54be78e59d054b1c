import assert from 'node:assert/strict';
import type { QuietHours } from '@perch/schema';
import { commandAnswers, hello } from './test-link.js';
import { useGateway, useOwner } from './gateway-under-test.js';

const timeAfter = (ms: number): string => new Date(Date.now() + ms).toISOString().slice(11, 16);
const hourMs = 3_600_000;
const quietNow = (): QuietHours => ({ from: timeAfter(-hourMs), to: timeAfter(hourMs) });

describe('actions under the settings of the owner', () => {
  const system = useGateway();
  const owner = useOwner(system);

  beforeEach(async () => {
    system.link.answer = (message) =>
      message.command.name === 'audio.play' ? { t: 'ack', id: message.id, result: { silenced: 'quiet_hours' } } : commandAnswers(message);
  });

  it('sound answers that it was silenced', async () => {
    const { status, body } = await system.act(owner, 'sound', { chime: 'tada', volume: 50 });
    assert.deepEqual([status, body], [200, { ok: true, seconds: 0, replaced: false, silenced: 'quiet_hours' }]);
  });

  it('a scene answers which step was silenced', async () => {
    const actions = [
      { action: 'face', emotion: 'happy' },
      { action: 'sound', chime: 'done' },
    ];
    const { status, body } = await system.act(owner, 'scene', { actions });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.results[1], { ok: true, seconds: 0, replaced: false, silenced: 'quiet_hours' });
  });

  it('speak shows its bubble in quiet hours and renders no speech', async () => {
    await system.store.robots.change(owner.account, owner.robot, { quietHours: quietNow() });
    const { status, body } = await system.act(owner, 'speak', { text: 'Hello' });
    assert.deepEqual([status, body], [200, { ok: true, seconds: 0, replaced: false, silenced: 'quiet_hours', caption: true }]);
    assert.deepEqual(
      system.link.commands.map(({ command }) => command.name),
      ['bubble'],
    );
    assert.equal(system.spoken.length, 0);
  });

  it('speak shows its bubble if quiet hours begin while the speech is rendered', async () => {
    const { body } = await system.act(owner, 'speak', { text: 'Late' });
    assert.deepEqual(body, { ok: true, seconds: 0, replaced: false, silenced: 'quiet_hours', caption: true });
  });

  it('the state contains the quiet hours, whether they are active, and the highest volume', async () => {
    const read = async (): Promise<unknown[]> => {
      const { body } = await system.ask('GET', `/v1/robots/${owner.robot}`, { apiKey: owner.apiKey });
      return [body.quiet_hours, body.volume_max];
    };
    assert.deepEqual(await read(), [null, null]);
    const hours = quietNow();
    await system.store.robots.change(owner.account, owner.robot, { quietHours: hours, volumeMax: 60 });
    assert.deepEqual(await read(), [{ ...hours, time_zone: 'UTC', active: true }, 60]);
    await system.store.robots.change(owner.account, owner.robot, { timeZone: 'Asia/Tokyo' });
    assert.deepEqual(await read(), [{ ...hours, time_zone: 'Asia/Tokyo', active: false }, 60]);
  });

  it('speak on a robot without a speaker is answered with 501 in quiet hours, too', async () => {
    const silent = await system.ownerOnline({ ...hello, features: ['screen', 'bubble'] });
    await system.store.robots.change(silent.account, silent.robot, { quietHours: quietNow() });
    assert.equal((await system.act(silent, 'speak', { text: 'Hello' })).status, 501);
  });
});

import { until } from '@perch/testkit';
import type { Clock } from '@perch/virtual-robot';
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { useLink, useLinks } from './links-under-test.js';

function fastClock(factor: number): Clock {
  return {
    now: () => performance.now() * factor,
    setTimeout: (run, ms) => setTimeout(run, ms / factor),
    clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  };
}

describe('sounds on a robot', () => {
  const system = useLinks();
  const link = useLink(system);

  it('plays 30 s without a gap, byte for byte, never beyond the credit', async () => {
    const made = await system.started(link, { clock: fastClock(10), silenceMs: 1e9 });
    const { ref, data } = await system.sound(30);
    const reply = await system.gateway.command(made, { name: 'audio.play', args: { volume: 30 }, sound: ref });
    assert.equal(reply.t, 'ack');
    await made.robot.until(({ sounds }) => sounds[0]?.done !== null, { timeoutMs: 60_000 });
    const [sound] = made.robot.sounds;
    assert.equal(sound?.done, 'end');
    assert.equal(sound?.gaps, 0);
    assert.ok(Buffer.from(sound.pcm).equals(data));
    assert.equal(made.robot.volume, 30);
    assert.deepEqual(made.robot.violations, []);
  });

  it('plays a sound of less than a second, and one of an odd number of pieces', async () => {
    const made = await system.started(link, { clock: fastClock(20), silenceMs: 1e9 });
    for (const seconds of [0.05, 4.1]) {
      const { ref, data } = await system.sound(seconds);
      assert.equal((await system.gateway.command(made, { name: 'audio.play', args: {}, sound: ref })).t, 'ack');
      await made.robot.until(({ sounds }) => sounds.at(-1)?.done === 'end');
      assert.ok(Buffer.from(made.robot.sounds.at(-1)!.pcm).equals(data));
    }
    assert.deepEqual(made.robot.violations, []);
  });

  it('replaces a sound by the next one, and answers replaced if it had not started', async () => {
    const made = await system.started(link);
    const [first, second] = [await system.sound(5), await system.sound(0.2)];
    assert.equal((await system.gateway.command(made, { name: 'audio.play', args: {}, sound: first.ref })).t, 'ack');
    assert.equal((await system.gateway.command(made, { name: 'audio.play', args: {}, sound: second.ref })).t, 'ack');
    await made.robot.until(({ sounds }) => sounds[1]?.done === 'end');
    assert.equal(made.robot.sounds[0]?.done, 'stopped');

    const replies = await Promise.all([first, second].map(({ ref }) => system.gateway.command(made, { name: 'audio.play', args: {}, sound: ref })));
    assert.ok(
      replies.every(({ t }) => t === 'ack' || t === 'replaced'),
      JSON.stringify(replies),
    );
    assert.equal(replies[1]?.t, 'ack');
    assert.deepEqual(made.robot.violations, []);
  });

  it('sends nothing more after the sound was stopped', async () => {
    const made = await system.started(link);
    const { ref } = await system.sound(20);
    await system.gateway.command(made, { name: 'audio.play', args: {}, sound: ref });
    assert.equal((await system.gateway.command(made, { name: 'audio.stop', args: {} })).t, 'ack');
    await made.robot.until(({ sounds }) => sounds[0]?.done === 'stopped');
    assert.deepEqual(made.robot.violations, []);
  });

  it('reports a missing sound before anything of it is sent', async () => {
    const made = await system.started(link);
    const { ref } = await system.sound(1);
    const reply = await system.gateway.command(made, { name: 'audio.play', args: {}, sound: { ...ref, hash: 'd'.repeat(64) } });
    assert.equal(reply.t, 'media_missing');
    assert.equal(made.robot.sounds.length, 0);
  });

  it('continues a sound when the robot reconnects in the middle of it', async () => {
    const made = await system.started(link, { clock: fastClock(4), silenceMs: 1e9 });
    const { ref, data } = await system.sound(12);
    await system.gateway.command(made, { name: 'audio.play', args: {}, sound: ref });
    await until(async () => (await system.store.connections.commands.exists(`perch:{${made.id}}:playing`)) === 1);
    const before = made.robot.session;
    made.robot.faults.dropConnection();
    await made.robot.until(({ online, session }) => online && session !== before);
    await made.robot.until(({ sounds }) => sounds[0]?.done !== null, { timeoutMs: 60_000 });
    assert.equal(made.robot.sounds[0]?.done, 'end');
    assert.ok(Buffer.from(made.robot.sounds[0].pcm).equals(data));
    assert.deepEqual(made.robot.violations, []);
  });

  it('stops a sound on a robot if Redis does not know it', async () => {
    const made = await system.started(link);
    const { ref } = await system.sound(20);
    await system.gateway.command(made, { name: 'audio.play', args: {}, sound: ref });
    await until(async () => (await system.store.connections.commands.del(`perch:{${made.id}}:playing`)) === 1);
    made.robot.faults.dropConnection();
    await made.robot.until(({ sounds }) => sounds[0]?.done === 'stopped');
  });

  it('does not start a sound later that was answered as not confirmed', async () => {
    const made = await system.started(link);
    made.robot.faults.neverAck(['audio.play']);
    const { ref } = await system.sound(20);
    const reply = await system.gateway.command(made, { name: 'audio.play', args: {}, sound: ref }, { ttlMs: 50 });
    assert.equal(reply.t === 'nack' && reply.code, 'no_ack');
    await made.robot.until(({ playing }) => playing === null);
  });

  describe('that is still being made', () => {
    const chunk = (seconds: number): Buffer => randomBytes(seconds * 32_000);
    async function growing(first: Buffer) {
      const hash = randomUUID();
      const take = system.store.growingSounds.take(system.account, hash, 16_000);
      await take.append(first);
      return { take, ref: (await system.store.growingSounds.find(system.account, hash))! };
    }

    it('plays without a gap and byte for byte, from the first part on, and ends at its end', async () => {
      const made = await system.started(link);
      const chunks = [chunk(1.5), chunk(1), chunk(0.5)];
      const { take, ref } = await growing(chunks[0]!);
      assert.equal((await system.gateway.command(made, { name: 'audio.play', args: {}, sound: ref })).t, 'ack');
      for (const more of chunks.slice(1)) {
        await new Promise((resolve) => setTimeout(resolve, 700));
        await take.append(more);
      }
      await take.end();
      await made.robot.until(({ sounds }) => sounds[0]?.done !== null);
      const [sound] = made.robot.sounds;
      assert.deepEqual([sound?.done, sound?.gaps], ['end', 0]);
      assert.ok(Buffer.from(sound!.pcm).equals(Buffer.concat(chunks)));
      assert.deepEqual(made.robot.violations, []);
    });

    it('continues when the robot moves to another robot-link in the middle of it', async () => {
      const other = await system.instance();
      const made = await system.robot(link);
      await made.robot.start();
      const chunks = [chunk(2), chunk(2), chunk(1)];
      const { take, ref } = await growing(chunks[0]!);
      assert.equal((await system.gateway.command(made, { name: 'audio.play', args: {}, sound: ref })).t, 'ack');
      await until(async () => (await system.store.connections.commands.exists(`perch:{${made.id}}:playing`)) === 1);
      assert.ok(other.app.address !== link.app.address);
      const before = made.robot.session;
      made.robot.faults.dropConnection();
      await made.robot.until(({ online, session }) => online && session !== before);
      for (const more of chunks.slice(1)) {
        await take.append(more);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      await take.end();
      await made.robot.until(({ sounds }) => sounds[0]?.done !== null);
      assert.equal(made.robot.sounds[0]?.done, 'end');
      assert.ok(Buffer.from(made.robot.sounds[0].pcm).equals(Buffer.concat(chunks)));
      assert.deepEqual(made.robot.violations, []);
    });

    it('a growing sound that fails before the robot began is rejected as speech_failed, and the robot stays silent', async () => {
      const made = await system.started(link);
      const { take, ref } = await growing(chunk(0.4));
      const reply = system.gateway.command(made, { name: 'audio.play', args: {}, sound: ref });
      await made.robot.until(({ commands }) => commands.some(({ name }) => name === 'audio.play'));
      await take.fail();
      const answer = await reply;
      assert.deepEqual([answer.t, answer.t === 'nack' && answer.code], ['nack', 'speech_failed']);
      await made.robot.until(({ playing }) => playing === null);
      assert.ok(made.robot.sounds.every(({ started }) => !started));
      assert.deepEqual(made.robot.violations, []);
    });

    it('a growing sound that fails in the middle is stopped', async () => {
      const made = await system.started(link);
      const { take, ref } = await growing(chunk(3));
      assert.equal((await system.gateway.command(made, { name: 'audio.play', args: {}, sound: ref })).t, 'ack');
      await take.fail();
      await made.robot.until(({ sounds }) => sounds[0]?.done === 'stopped');
      assert.ok(made.robot.sounds[0]!.playedMs < 2500);
    });
  });
});

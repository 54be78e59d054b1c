import { until } from '@perch/testkit';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { useLink, useLinks } from './links-under-test.js';
import { closeCode, dial, hello, opened } from './dial.js';

describe('sessions of robots', () => {
  const system = useLinks();
  const link = useLink(system, { timing: { helloMs: 200 } });

  it('accepts the newest connection and closes an older one of the same boot', async () => {
    const { token, id } = await system.robot(link);
    const second = await opened(link.app.address, token);
    second.send(JSON.stringify({ ...hello, dial: 2 }));
    await once(second, 'message');
    const first = await opened(link.app.address, token);
    first.send(JSON.stringify({ ...hello, dial: 1 }));
    assert.equal(await closeCode(first), 4001);
    assert.equal(second.readyState, WebSocket.OPEN);

    const third = await opened(link.app.address, token);
    const gone = closeCode(second);
    third.send(JSON.stringify({ ...hello, dial: 3 }));
    const [welcome] = (await once(third, 'message')) as [Buffer];
    assert.equal(await gone, 4001);
    const { session } = JSON.parse(welcome.toString()) as { session: string };
    assert.equal((await system.store.leases.find(id)).session, session);
    third.terminate();
  });

  it('stores in the record of a robot with a screen that it turns pages, which gateways of 0.10.0 and 0.10.1 need to send it any', async () => {
    for (const [features, turnsPages] of [[['screen'], true] as const, [[], undefined] as const]) {
      const { token, id } = await system.robot(link);
      const socket = await opened(link.app.address, token);
      socket.send(JSON.stringify({ ...hello, features }));
      await once(socket, 'message');
      const stored = JSON.parse((await system.store.connections.commands.hget(`perch:{${id}}`, 'hello'))!) as { turnsPages?: boolean };
      assert.equal(stored.turnsPages, turnsPages);
      socket.terminate();
    }
  });

  it('displaces a connection that another instance holds', async () => {
    const other = await system.instance();
    const made = await system.started(link, { reconnect: { minMs: 10_000, maxMs: 10_000 } });
    const again = system.again(made, other.app.address);
    await again.robot.start();
    await made.robot.until(({ lastClosed }) => lastClosed?.code === 4001);
    assert.equal((await system.store.leases.find(made.id)).instance, other.store.instance);
    assert.equal((await system.gateway.command(again, { name: 'face', args: { emotion: 'happy' } })).t, 'ack');
  });

  it('counts a robot as orphaned if the instance that held it is dead, and not if it is alive', async () => {
    const orphaned = async (): Promise<number> => Number(/^perch_link_sessions_orphaned_total (\d+)$/m.exec(await link.registry.metrics())![1]);
    const other = await system.instance();
    const before = await orphaned();
    const moved = await system.started(other, { reconnect: { minMs: 10_000, maxMs: 10_000 } });
    await system.again(moved, link.app.address).robot.start();
    await moved.robot.until(({ lastClosed }) => lastClosed?.code === 4001);
    assert.equal(await orphaned(), before);

    // An instance that took the robot and no longer receives messages.
    const left = await system.robot(link);
    const dead = await system.instance();
    const { tokenHash } = (await system.store.robots.get(left.id))!;
    await dead.stop();
    const session = { session: 's-dead', bootId: 'b', dial: 1, tokenHash: tokenHash!, model: 'm', firmware: 'f', hello: {} };
    await dead.store.leases.take(left.id, session);
    await left.robot.start();
    await until(async () => (await orphaned()) === before + 1);
  });

  it('closes with 4003 when the token is revoked, and refuses the robot from then on', async () => {
    const made = await system.started(link);
    const { session } = await system.store.leases.find(made.id);
    await system.store.robots.renewToken(made.id);
    await system.gateway.send(made, { t: 'close', robot: made.id, session, code: 4003 });
    await made.robot.until(({ lastClosed }) => lastClosed?.code === 4003 && lastClosed.final);
    const refused = await dial(link.app.address, { token: made.token });
    assert.ok(!(refused instanceof WebSocket));
    assert.equal(refused.status, 401);
  });

  it('appends `connected` for a start, a restart and every reconnect of a robot that counted as away, however briefly', async () => {
    const made = await system.started(link);
    await system.events(made, ['connected']);
    const before = made.robot.session;
    made.robot.faults.dropConnection();
    await made.robot.until(({ online, session }) => online && session !== before);
    await system.events(made, ['connected', 'connected']);
    made.robot.restart();
    await system.events(made, ['connected', 'connected', 'connected']);
  });

  it('appends `connected` again after its heartbeat was missing for so long that its robots counted as away', async () => {
    const made = await system.started(link);
    await system.events(made, ['connected']);
    const { connections } = link.store;
    const script = connections.script;
    // As in a pause of the process: no heartbeat arrives, the sockets stay open.
    connections.script = (name, keys, args) => (name === 'instanceBeat' ? Promise.reject(new Error('paused')) : script(name, keys, args));
    try {
      await until(async () => (await system.store.leases.find(made.id)).state === 'away');
    } finally {
      connections.script = script;
    }
    await until(async () => (await system.eventNames(made)).join() === 'connected,connected');
    await until(async () => (await system.store.leases.find(made.id)).state === 'held');
    assert.equal(made.robot.dials, 1, 'the session stayed open');
  });

  it('marks a robot as away once its socket is closed, and keeps its last readings', async () => {
    const made = await system.started(link);
    made.robot.setReading('light_lux', 123);
    made.robot.reportNow();
    await made.robot.stop();
    await until(async () => (await system.store.leases.find(made.id)).state === 'away');
    const saved = await system.store.leases.saved(made.id);
    assert.equal(saved?.readings['light_lux'], 123);
  });

  it('marks a robot as away after its silence, although its socket is open', async () => {
    const silent = await system.instance({ timing: { silenceMs: 300, pingMs: 100 } });
    const alive = await system.started(silent);
    const made = await system.started(silent);
    made.robot.faults.halfOpen();
    await until(async () => (await system.store.leases.find(made.id)).state === 'away');
    assert.equal((await system.store.leases.find(alive.id)).state, 'held');
    assert.equal(alive.robot.dials, 1);
  });
});

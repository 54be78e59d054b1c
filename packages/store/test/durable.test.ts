import assert from 'node:assert/strict';
import keySlot from 'cluster-key-slot';
import { Cluster, Redis, type Command } from 'ioredis';
import { Durable } from '../src/redis/durable.js';
import { StoreError, UncertainWrite } from '../src/redis/errors.js';

type Reply = string | number | [number, number] | Error;

interface Replies {
  waitaof: Reply;
  wait: Reply;
  eval: Reply;
  replication: Reply;
}

const unknownCommand = 'unknown command';
const refused = (message: string, code = 'ERR'): Error => Object.assign(new Error(`${code} ${message}`), { name: 'ReplyError' });
const mayNot = (command: string): Error => refused(`User perch has no permissions to run the '${command}' command`, 'NOPERM');
const master = 'role:master\r\n';
const online = `${master}connected_slaves:1\r\nslave0:ip=10.0.0.2,port=6379,state=online,offset=14,lag=0\r\n`;
const loading = `${master}connected_slaves:1\r\nslave0:ip=10.0.0.2,port=6379,state=wait_bgsave,offset=0,lag=0\r\n`;

/** A connection that answers with scripted replies, to test all versions of Redis without a server. */
class ScriptedNode extends Redis {
  readonly #replies: Replies;
  readonly sentCommands: string[] = [];

  constructor(replies: Partial<Replies> = {}, port = 6379) {
    super({ lazyConnect: true, host: 'localhost', port });
    this.status = 'ready';
    this.#replies = {
      waitaof: [1, 0],
      wait: 1,
      eval: 1,
      replication: master,
      ...replies,
    };
  }

  count(name: string): number {
    return this.sentCommands.filter((sent) => sent === name).length;
  }

  override sendCommand(command: Command): unknown {
    const name = command.name.toLowerCase();
    this.sentCommands.push(name);
    const reply = this.#replies[(name === 'info' ? String(command.args[0]) : name) as keyof Replies];
    if (reply instanceof Error) command.reject(reply);
    else command.resolve(reply as never);
    return command.promise;
  }
}

class ScriptedCluster extends Cluster {
  readonly #nodes: ScriptedNode[];

  constructor(nodes: ScriptedNode[]) {
    super([], { lazyConnect: true });
    this.#nodes = nodes;
    this.slots = Array.from({ length: 16384 }, (_, slot) => [`localhost:${nodes[slot % nodes.length]!.options.port}`]);
  }

  override nodes(): Redis[] {
    return this.#nodes;
  }

  override sendCommand(command: Command): unknown {
    const [address] = this.slots[keySlot(String(command.args[2]))]!;
    return this.#nodes.find(({ options }) => address!.endsWith(`:${options.port}`))!.sendCommand(command);
  }
}

describe('durable writes by the replies of the server', () => {
  const opened: Durable[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((durable) => durable.close())));

  function durableOver(connection: Redis | Cluster, cannotConfirm?: () => boolean) {
    const errors: string[] = [];
    const durable = new Durable(
      async () => connection,
      ({ message }) => errors.push(message),
      cannotConfirm,
    );
    opened.push(durable);
    return { durable, errors, write: (key = 'perch:{a-1}') => durable.run([key], async () => 'done') };
  }
  const uncertain = (error: unknown): boolean => error instanceof UncertainWrite && error.kind === 'unavailable' && error.fate === 'unknown';

  it('confirms a write that the disk has confirmed', async () => {
    const node = new ScriptedNode();
    const { errors, write } = durableOver(node);
    assert.equal(await write(), 'done');
    assert.deepEqual([node.sentCommands, errors], [['eval', 'eval', 'waitaof', 'info'], []]);
  });

  it('rejects with outcome unknown if the disk does not confirm in time', async () => {
    const { errors, write } = durableOver(new ScriptedNode({ waitaof: [0, 0] }));
    await assert.rejects(write(), uncertain);
    assert.deepEqual(errors, []);
  });

  it('confirms a write if the server lacks WAITAOF, and reports that once', async () => {
    const { errors, write } = durableOver(new ScriptedNode({ waitaof: refused(unknownCommand) }));
    for (let i = 0; i < 3; i++) assert.equal(await write(), 'done');
    assert.equal(errors.length, 1, errors.join('\n'));
    assert.match(errors[0]!, /may be lost with its last 2 s: .*unknown command/);
  });

  it('confirms a write without an append-only file, and reports once that all data since the last snapshot can be lost', async () => {
    const appendonlyOff = refused('WAITAOF cannot be used when numlocal is set but appendonly is disabled.');
    const { errors, write } = durableOver(new ScriptedNode({ waitaof: appendonlyOff }));
    for (let i = 0; i < 2; i++) assert.equal(await write(), 'done');
    assert.equal(errors.length, 1, errors.join('\n'));
    assert.match(errors[0]!, /no append-only file: .* since its last snapshot is lost/);
  });

  it('does not ask a Redis that is known not to confirm writes', async () => {
    const node = new ScriptedNode();
    const { errors, write } = durableOver(node, () => true);
    assert.equal(await write(), 'done');
    assert.deepEqual([node.count('waitaof'), errors], [0, []]);
  });

  it('requires the confirmation of every master that is connected', async () => {
    const replication = online;
    const first = new ScriptedNode({ replication }, 7000);
    await assert.rejects(durableOver(new ScriptedCluster([first, new ScriptedNode({ replication, waitaof: [0, 0] }, 7001)])).write(), uncertain);
    const whole = durableOver(new ScriptedCluster([first, new ScriptedNode({ replication }, 7001)]));
    assert.equal(await whole.write(), 'done');
    assert.deepEqual(whole.errors, []);
  });

  it('confirms a write to a Cluster of which another master is lost, and refuses one to the lost master before it is begun', async () => {
    const closed = new Error('Connection is closed.');
    const lost = new ScriptedNode({ eval: closed, replication: online }, 7001);
    const { durable, errors, write } = durableOver(new ScriptedCluster([new ScriptedNode({ replication: online }, 7000), lost]));
    const keys = Array.from({ length: 8 }, (_, i) => `perch:{a-${i}}`);
    const isLost = (key: string): boolean => keySlot(key) % 2 === 1;
    await write(keys.find((key) => !isLost(key)));
    lost.status = 'end';
    assert.ok(keys.some(isLost) && !keys.every(isLost));
    let begun = 0;
    const outcomes = await Promise.allSettled(keys.map((key) => durable.run([key], async () => void begun++)));
    assert.deepEqual(
      outcomes.map(({ status }) => status === 'rejected'),
      keys.map(isLost),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') assert.ok(!(outcome.reason instanceof UncertainWrite));
    assert.deepEqual([begun, errors], [keys.filter((key) => !isLost(key)).length, []]);
  });

  it('waits for a replica on each kind of Redis, if one is connected', async () => {
    for (const [replies, outcome, waits] of [
      [{ replication: online }, 'done', 1],
      [{ replication: online, wait: 0 }, 'uncertain', 1],
      [{ replication: loading, wait: 0 }, 'done', 0],
      [{ replication: master, wait: 0 }, 'done', 0],
      [{ replication: mayNot('info'), wait: 0 }, 'done', 0],
      [{ replication: online, wait: 0, waitaof: refused(unknownCommand) }, 'uncertain', 1],
    ] as [Partial<Replies>, string, number][]) {
      const node = new ScriptedNode(replies);
      const { errors, write } = durableOver(node);
      if (outcome === 'done') assert.equal(await write(), 'done');
      else await assert.rejects(write(), uncertain);
      assert.equal(node.count('wait'), waits);
      if (replies.waitaof === undefined) assert.deepEqual(errors, []);
    }
  });

  it('reports a master of a Cluster without a replica once, and confirms its writes', async () => {
    const node = new ScriptedNode({ replication: master }, 7000);
    const { errors, write } = durableOver(new ScriptedCluster([node]));
    for (let i = 0; i < 2; i++) assert.equal(await write(), 'done');
    assert.equal(errors.length, 1, errors.join('\n'));
    assert.match(errors[0]!, /no connected replica/);
    assert.equal(node.count('wait'), 0);
  });

  it('confirms a write if its user may not run WAITAOF or WAIT, and reports each once', async () => {
    const node = new ScriptedNode({ waitaof: mayNot('waitaof'), wait: mayNot('wait'), replication: online });
    const { errors, write } = durableOver(node);
    for (let i = 0; i < 2; i++) assert.equal(await write(), 'done');
    assert.equal(errors.length, 2, errors.join('\n'));
    assert.match(errors[0]!, /waitaof.* Write its users file anew/);
    assert.match(errors[1]!, /a failover may lose .*'wait' command/);
    node.emit('close');
    await write();
    assert.equal(node.count('waitaof'), 2, 'after a reconnect the user may have other permissions');
  });

  it('rejects with another error than outcome unknown once the work is undone', async () => {
    const { durable } = durableOver(new ScriptedNode({ waitaof: [0, 0] }));
    let undone = 0;
    const undo = async (): Promise<void> => void undone++;
    const isKnown = (error: unknown): boolean => error instanceof StoreError && !uncertain(error) && error.fate === 'not_done';
    await assert.rejects(
      durable.run(['perch:{a-1}'], async () => {}, undo),
      isKnown,
    );
    await assert.rejects(
      durable.run(['perch:{a-1}'], () => Promise.reject(new StoreError('unavailable', 'before the last write')), undo),
      isKnown,
    );
    await assert.rejects(
      durable.run(['perch:{a-1}'], () => Promise.reject(new UncertainWrite('the last write')), undo),
      isKnown,
    );
    assert.equal(undone, 3);
    await assert.rejects(
      durable.run(
        ['perch:{a-1}'],
        async () => {},
        () => Promise.reject(new Error('in vain')),
      ),
      uncertain,
    );
  });

  it('rejects with outcome unknown if the write failed, but not if it was never begun', async () => {
    const away = () => Promise.reject(new StoreError('unavailable', 'Redis: Connection is closed.', { cause: new Error('Connection is closed.') }));
    for (const waitaof of [[1, 0], refused(unknownCommand)] as Reply[]) {
      const { durable } = durableOver(new ScriptedNode({ waitaof }));
      await durable.run(['perch:{a-1}'], async () => {});
      await assert.rejects(durable.run(['perch:{a-1}'], away), uncertain);
    }
    const unreachable = new Durable(away, () => {});
    await assert.rejects(
      unreachable.run(['perch:{a-1}'], async () => {}),
      (error) => error instanceof StoreError && !(error instanceof UncertainWrite),
    );
  });
});

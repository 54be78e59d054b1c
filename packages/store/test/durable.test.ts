import assert from 'node:assert/strict';
import { Cluster, Redis, type Command } from 'ioredis';
import { Durable } from '../src/redis/durable.js';
import { StoreError, UncertainWrite } from '../src/errors.js';

type Reply = string | [number, number] | Error;

const unknownCommand = 'unknown command';
const refused = (message: string): Error => Object.assign(new Error(`ERR ${message}`), { name: 'ReplyError' });

/** A connection that answers with scripted replies, to test all versions of Redis without a server. */
class ScriptedNode extends Redis {
  readonly #waitaof: Reply;
  readonly sentCommands: string[] = [];

  constructor({ waitaof = [1, 0] }: { waitaof?: Reply } = {}) {
    super({ lazyConnect: true });
    this.#waitaof = waitaof;
  }

  override sendCommand(command: Command): unknown {
    const name = command.name.toLowerCase();
    this.sentCommands.push(name);
    const reply = name === 'waitaof' ? this.#waitaof : 1;
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
  }

  override nodes(): Redis[] {
    return this.#nodes;
  }

  override sendCommand(command: Command): unknown {
    return this.#nodes[0]!.sendCommand(command);
  }
}

describe('durable writes by the replies of the server', () => {
  function durableOver(connection: Redis | Cluster): { errors: string[]; write: () => Promise<string> } {
    const errors: string[] = [];
    const durable = new Durable(
      async () => connection,
      ({ message }) => errors.push(message),
    );
    return { errors, write: () => durable.run(['perch:{a-1}'], async () => 'done') };
  }
  const uncertain = (error: unknown): boolean => error instanceof UncertainWrite && error.kind === 'unavailable' && error.fate === 'unknown';

  it('confirms a write that the disk has confirmed', async () => {
    const node = new ScriptedNode();
    const { errors, write } = durableOver(node);
    assert.equal(await write(), 'done');
    assert.deepEqual([node.sentCommands, errors], [['eval', 'waitaof'], []]);
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
    const durable = new Durable(
      async () => node,
      () => assert.fail('it was reported before'),
      0,
      () => true,
    );
    assert.equal(await durable.run(['perch:{a-1}'], async () => 'done'), 'done');
    assert.deepEqual(node.sentCommands, []);
  });

  it('requires the confirmation of every master', async () => {
    await assert.rejects(durableOver(new ScriptedCluster([new ScriptedNode(), new ScriptedNode({ waitaof: [0, 0] })])).write(), uncertain);
    const whole = durableOver(new ScriptedCluster([new ScriptedNode(), new ScriptedNode()]));
    assert.equal(await whole.write(), 'done');
    assert.deepEqual(whole.errors, []);
  });

  it('rejects with outcome unknown if the write failed, but not if it was never begun', async () => {
    const away = () => Promise.reject(new StoreError('unavailable', 'Redis: Connection is closed.', { cause: new Error('Connection is closed.') }));
    for (const waitaof of [[1, 0], refused(unknownCommand)] as Reply[]) {
      const durable = new Durable(
        async () => new ScriptedNode({ waitaof }),
        () => {},
      );
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

import assert from 'node:assert/strict';
import { Cluster, Redis, type Command } from 'ioredis';
import { Durable } from '../src/redis/durable.js';
import { StoreError, UncertainWrite } from '../src/errors.js';

type Reply = string | [number, number] | Error;

const unknownCommand = 'unknown command';
const refused = (message: string): Error => Object.assign(new Error(`ERR ${message}`), { name: 'ReplyError' });

/** A connection whose server says what is written here: Redis of every version, without one. */
class ScriptedNode extends Redis {
  readonly #replies: { waitaof: Reply; persistence: Reply; memory: Reply };
  readonly asked: string[] = [];

  constructor(replies: { waitaof?: Reply; persistence?: Reply; memory?: Reply } = {}) {
    super({ lazyConnect: true });
    this.#replies = { waitaof: [1, 0], persistence: 'aof_enabled:1\r\n', memory: 'maxmemory_policy:noeviction\r\n', ...replies };
  }

  override sendCommand(command: Command): unknown {
    const name = command.name.toLowerCase();
    this.asked.push(name);
    const { waitaof, persistence, memory } = this.#replies;
    const reply = name === 'waitaof' ? waitaof : name === 'eval' ? 1 : command.args[0] === 'persistence' ? persistence : memory;
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

describe('a write is on disk when it is answered, as the server says', () => {
  function durableOver(line: Redis | Cluster): { said: string[]; write: () => Promise<string> } {
    const said: string[] = [];
    const durable = new Durable(
      async () => line,
      ({ message }) => said.push(message),
    );
    return { said, write: () => durable.run(['perch:{a-1}'], async () => 'done') };
  }
  const uncertain = (error: unknown): boolean => error instanceof UncertainWrite && error.kind === 'unavailable' && error.fate === 'unknown';

  it('passes where it is', async () => {
    const node = new ScriptedNode();
    const { said, write } = durableOver(node);
    assert.equal(await write(), 'done');
    assert.deepEqual([node.asked, said], [['info', 'info', 'eval', 'waitaof'], []]);
  });

  it('is uncertain where the disk did not take it in time', async () => {
    const { said, write } = durableOver(new ScriptedNode({ waitaof: [0, 0] }));
    await assert.rejects(write(), uncertain);
    assert.deepEqual(said, []);
  });

  it('passes where the server has no such command, which is said once', async () => {
    const { said, write } = durableOver(new ScriptedNode({ waitaof: refused(unknownCommand) }));
    for (let i = 0; i < 3; i++) assert.equal(await write(), 'done');
    assert.equal(said.length, 1, said.join('\n'));
    assert.match(said[0]!, /may be lost with its last 2 s: .*unknown command/);
  });

  it('promises no last 2 s where there is no append-only file, by what the server says at first or when it is asked to wait', async () => {
    const appendonlyOff = refused('WAITAOF cannot be used when numlocal is set but appendonly is disabled.');
    const off = 'aof_enabled:0\r\n';
    const hidden = refused('NOPERM');
    for (const node of [
      new ScriptedNode({ waitaof: refused(unknownCommand), persistence: off }),
      new ScriptedNode({ waitaof: appendonlyOff, persistence: off }),
      new ScriptedNode({ waitaof: appendonlyOff, persistence: hidden, memory: hidden }),
    ]) {
      const { said, write } = durableOver(node);
      for (let i = 0; i < 2; i++) assert.equal(await write(), 'done');
      assert.equal(said.length, 1, said.join('\n'));
      assert.match(said[0]!, /no append-only file: .* since its last snapshot is lost/);
    }
  });

  it('says once what evicts keys, and goes on', async () => {
    const { said, write } = durableOver(new ScriptedNode({ memory: 'maxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n' }));
    for (let i = 0; i < 2; i++) assert.equal(await write(), 'done');
    assert.equal(said.length, 1, said.join('\n'));
    assert.match(said[0]!, /maxmemory-policy is allkeys-lru/);
  });

  it('needs the disk of every master', async () => {
    await assert.rejects(durableOver(new ScriptedCluster([new ScriptedNode(), new ScriptedNode({ waitaof: [0, 0] })])).write(), uncertain);
    const whole = durableOver(new ScriptedCluster([new ScriptedNode(), new ScriptedNode()]));
    assert.equal(await whole.write(), 'done');
    assert.deepEqual(whole.said, []);
  });

  it('is uncertain where the work broke off, also where nothing is waited for; what was not begun is not', async () => {
    const away = () => Promise.reject(new StoreError('unavailable', 'Redis: Connection is closed.', { cause: new Error('Connection is closed.') }));
    for (const waitaof of [[1, 0], refused(unknownCommand)] as Reply[]) {
      const durable = new Durable(
        async () => new ScriptedNode({ waitaof }),
        () => {},
      );
      await durable.run(['perch:{a-1}'], async () => {});
      await assert.rejects(durable.run(['perch:{a-1}'], away), uncertain);
    }
    const nobody = new Durable(away, () => {});
    await assert.rejects(
      nobody.run(['perch:{a-1}'], async () => {}),
      (error) => error instanceof StoreError && !(error instanceof UncertainWrite),
    );
  });
});

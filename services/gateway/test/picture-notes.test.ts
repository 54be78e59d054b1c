import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { notesOfCommand } from '../src/actions/picture-notes.js';
import type { Call } from '../src/calls/call.js';
import type { RobotDirectory } from '../src/robots/robot-directory.js';

describe('notes that are looked up after a command was confirmed', () => {
  let collecting: NodeJS.Timeout;
  afterEach(() => clearInterval(collecting));

  it('an answer goes without them after two seconds if the picture is not drawn, whatever the garbage collector takes', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    collecting = setInterval(collect, 100);
    const call = { robot: 'r-1', signal: new AbortController().signal } as Call;
    const directory = { find: () => Promise.resolve({}) } as unknown as RobotDirectory;
    const draw = (_: unknown, signal: AbortSignal): Promise<never> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }));
    assert.deepEqual(await notesOfCommand(call, directory, undefined, draw), {});
  });
});

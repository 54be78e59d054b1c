/** Runs the pool as a user without a line in /etc/passwd and without HOME, as Docker and containerd run the image. */
import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { skipTest } from '@perch/testkit';

const program = fileURLToPath(new URL('./programs/render-card.ts', import.meta.url));
/** The user of deploy/Dockerfile. */
const user = 65532;

function runAsUser(args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, args, { uid: user, gid: user, env: {}, encoding: 'utf8' });
}

describe('RenderPool as a user that the system does not know', () => {
  it('draws a picture', function () {
    if (process.getuid?.() !== 0) skipTest(this, 'root is needed to run a process as another user');
    const readable = runAsUser(['--eval', `require('fs').accessSync(${JSON.stringify(program)})`]);
    if (readable.status !== 0) skipTest(this, 'other users must be able to read this clone and to run Node.js');
    const home = runAsUser(['--eval', "require('os').homedir()"]);
    if (home.status === 0) skipTest(this, `the system knows user ${user}`);
    const { status, stdout, stderr } = runAsUser([...process.execArgv, program]);
    assert.deepEqual([status, stdout], [0, 'png'], stderr);
  });
});

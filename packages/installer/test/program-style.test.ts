import { skipTest } from '@perch/testkit';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const robots = fileURLToPath(new URL('../../../robots/micropython', import.meta.url));
/** Debian's package python3-flake8 belongs to its own Python, which need not be the first on PATH. */
const commands: [program: string, ...args: string[]][] = [['flake8'], ['python3', '-m', 'flake8'], ['/usr/bin/python3', '-m', 'flake8']];

describe('the style of the robot program', () => {
  it('passes flake8 with its default rules', function () {
    const found = commands.find(([program, ...args]) => spawnSync(program, [...args, '--version']).status === 0);
    const [program, ...args] = found ?? skipTest(this, 'there is no flake8 (Debian: python3-flake8)');
    const { stdout, stderr, status } = spawnSync(program, [...args, '--isolated', '.'], { cwd: robots, encoding: 'utf8' });
    assert.deepEqual({ stdout, stderr, status }, { stdout: '', stderr: '', status: 0 });
  });
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../../scripts/profile.mjs', import.meta.url));

describe('npm run profile', () => {
  const run = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });

  it('prints its options with --help, without a build and without services', () => {
    const { status, stdout, stderr } = run('--help');
    assert.equal(status, 0);
    assert.equal(stderr, '');
    for (const option of ['--runs', '--only', '--rate', '--json', '--heap', '--minutes']) assert.ok(stdout.includes(option), option);
  });

  it('rejects an unknown option, a wrong number and an option of the other measurement with its help and no stack', () => {
    for (const [args, message] of [
      [['--rounds', '3'], /Unknown option '--rounds'/],
      [['--rate', '0.5'], /--rate 0\.5: must be a number from 1/],
      [['--runs', '1.5'], /--runs 1\.5: must be a whole number from 1/],
      [['--minutes', '3'], /--minutes requires --heap/],
      [['--heap', '--rate', '2'], /--rate does not go with --heap/],
    ] as const) {
      const { status, stderr } = run(...args);
      assert.equal(status, 2, args.join(' '));
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\n +at /);
    }
  });
});

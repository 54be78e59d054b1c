import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsOf } from '../src/fleet/settings.js';
import { phasesOf } from '../src/plan.js';

const now = { root: '/now', version: '0.11.0' };
const last = { root: '/last', version: '0.10.1' };

describe('the phases of a rolling replacement', () => {
  it('the phases upgrade and downgrade in both orders, and replace this version by itself', async () => {
    const phases = await phasesOf('all', now, async () => last);
    assert.deepEqual(
      phases.map(({ from, to, order, manner }) => `${from.version} ${to.version} ${order[0]} ${manner}`),
      [
        '0.10.1 0.11.0 gateway surge',
        '0.11.0 0.11.0 gateway in-place',
        '0.11.0 0.10.1 webhooks surge',
        '0.10.1 0.11.0 robot-link surge',
        '0.11.0 0.10.1 webhooks surge',
      ],
    );
  });

  it('each begin with the version of the phase before, and replace every service', async () => {
    for (const plan of ['all', 'last-release'] as const) {
      const phases = await phasesOf(plan, now, async () => last);
      for (const [i, { from, order }] of phases.entries()) {
        if (i > 0) assert.equal(from, phases[i - 1]!.to);
        assert.deepEqual(order.toSorted(), ['gateway', 'renderer', 'robot-link', 'webhooks']);
      }
    }
  });

  it('the plan upgrade replaces the last release by this version', async () => {
    const phases = await phasesOf('upgrade', now, async () => last);
    assert.deepEqual(
      phases.map(({ from, to }) => [from.version, to.version]),
      [['0.10.1', '0.11.0']],
    );
  });

  it('the plan same-version does not build the last release', async () => {
    const phases = await phasesOf('same-version', now, () => assert.fail('built'));
    assert.equal(phases.length, 1);
  });
});

describe('the settings of an instance', () => {
  for (const path of ['docs/operate/settings.md', 'docs/operate.md']) {
    it(`the settings of an instance are only those that ${path} of its version lists for its service, and none of the environment`, () => {
      const root = mkdtempSync(join(tmpdir(), 'perch-tree-'));
      try {
        mkdirSync(join(root, 'docs/operate'), { recursive: true });
        writeFileSync(
          join(root, path),
          [
            '| `PERCH_REDIS_URL` | all | required | Redis. |',
            '| `PERCH_ADMIN_PORT` | all | 0 | Port. |',
            '| `PERCH_GATEWAY_PORT` | gateway | 8080 | Port. |',
          ].join('\n'),
        );
        const endpoint = { redisUrl: 'redis://127.0.0.1:1', port: 2, adminPort: 3 };
        const env = { PATH: '/bin', PERCH_LOG_LEVEL: 'debug', PERCH_GATEWAY_HOST: '0.0.0.0' };
        assert.deepEqual(settingsOf({ root, version: '0.1.0' }, 'gateway', endpoint, env), {
          PATH: '/bin',
          PERCH_REDIS_URL: 'redis://127.0.0.1:1',
          PERCH_ADMIN_PORT: '3',
          PERCH_GATEWAY_PORT: '2',
        });
      } finally {
        rmSync(root, { recursive: true });
      }
    });
  }
});

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mayHaveContainers } from '../src/redis/container-runtime.js';

describe('mayHaveContainers', () => {
  let home = '';
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'perch-home-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('mayHaveContainers is true if DOCKER_HOST names a runtime', () => {
    assert.equal(mayHaveContainers({ DOCKER_HOST: 'tcp://127.0.0.1:2375' }, home), true);
  });

  it('mayHaveContainers is true if the settings of testcontainers, or the socket of a runtime, lie in the home or runtime folder', () => {
    writeFileSync(join(home, 'docker.sock'), '');
    assert.equal(mayHaveContainers({ XDG_RUNTIME_DIR: home }, join(home, 'other')), true);
    for (const file of ['.testcontainers.properties', '.docker/run/docker.sock', '.docker/desktop/docker.sock']) {
      const other = join(home, file.replaceAll('/', '-'));
      mkdirSync(join(other, file, '..'), { recursive: true });
      writeFileSync(join(other, file), '');
      assert.equal(mayHaveContainers({}, other), true, file);
    }
  });
});

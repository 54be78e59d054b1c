import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('deploy/compose/write-secrets.sh', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'perch-secrets-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (env: Record<string, string> = {}): { status: number | null; stderr: string } =>
    spawnSync('sh', [join(root, 'deploy/compose/write-secrets.sh')], {
      env: { ...process.env, SECRETS_FOLDER: folder, REDIS_USERS_SCRIPT: join(root, 'deploy/redis/write-users.sh'), ...env },
      encoding: 'utf8',
    });
  const written = (file: string): string => readFileSync(join(folder, file), 'utf8');

  it('generates random passwords once and keeps them at later starts', () => {
    assert.deepEqual([run().status, run().status], [0, 0]);
    const url = written('services/redis-url');
    assert.match(url, /^redis:\/\/perch:[0-9a-f]{64}@redis:6379$/);
    assert.equal(run().status, 0);
    assert.equal(written('services/redis-url'), url);
    const { 'redis://exporter@redis:6379': exporter } = JSON.parse(written('exporter/passwords.json')) as Record<string, string>;
    assert.equal(exporter, written('redis/exporter-password'));
    assert.notEqual(url.includes(exporter!), true);
  });

  it('writes only password hashes to the ACL file, readable for the Redis user, and leaves no partial files', () => {
    assert.equal(run().status, 0);
    const password = /perch:(\w+)@/.exec(written('services/redis-url'))![1]!;
    const acl = written('redis/users.acl');
    assert.match(acl, /^user perch on #[0-9a-f]{64} /m);
    assert.ok(!acl.includes(password));
    assert.equal(statSync(join(folder, 'redis/users.acl')).mode & 0o777, 0o444);
    const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.new'));
    assert.deepEqual(left, []);
  });

  it('uses PERCH_REDIS_PASSWORD, and names it when it refuses a short one or one that a URL would have to escape', () => {
    assert.equal(run({ PERCH_REDIS_PASSWORD: 'a-password-of-mine' }).status, 0);
    assert.equal(written('services/redis-url'), 'redis://perch:a-password-of-mine@redis:6379');
    for (const wrong of ['short', 'with a space and @ sign']) {
      const { status, stderr } = run({ PERCH_REDIS_PASSWORD: wrong });
      assert.equal(status, 1);
      assert.match(stderr, /^PERCH_REDIS_PASSWORD: takes /);
    }
  });
});

describe('deploy/image/healthcheck.mjs', () => {
  it('exits with 0 for a healthy instance, and with 1 for readyz if the instance is not ready', async () => {
    const admin = createServer((request, response) => response.writeHead(request.url === '/healthz' ? 200 : 503).end());
    await new Promise<void>((resolve) => admin.listen(0, '127.0.0.1', resolve));
    const env = { ...process.env, PERCH_ADMIN_PORT: String((admin.address() as AddressInfo).port) };
    const exitCode = async (...args: string[]): Promise<number | null> => {
      const child = spawn(process.execPath, [join(root, 'deploy/image/healthcheck.mjs'), ...args], { env });
      return new Promise((resolve) => child.once('exit', resolve));
    };
    try {
      assert.deepEqual([await exitCode(), await exitCode('readyz')], [0, 1]);
    } finally {
      admin.close();
      admin.closeAllConnections();
    }
  });
});

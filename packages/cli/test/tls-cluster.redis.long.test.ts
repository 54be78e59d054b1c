import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { needsRedisServer, redisCluster, skipTest, type LocalRedisCluster } from '@perch/testkit';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describe('a Redis Cluster over TLS (rediss-cluster://)', function () {
  this.timeout(240_000);
  let cluster: LocalRedisCluster | undefined;
  let folder: string | undefined;
  let certificate = '';

  before(async function () {
    needsRedisServer(this);
    if (spawnSync('openssl', ['version']).status !== 0) skipTest(this, 'it needs openssl on PATH to make a certificate');
    folder = mkdtempSync(join(tmpdir(), 'perch-tls-'));
    certificate = join(folder, 'certificate.pem');
    const key = join(folder, 'key.pem');
    const subject = ['-subj', '/CN=perch test', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject], { stdio: 'ignore' });
    cluster = await redisCluster({ tls: { certificate, key } }).catch((error: Error) => {
      if (/tls-port|Bad directive/i.test(error.message)) skipTest(this, 'its redis-server was built without TLS');
      throw error;
    });
  });
  after(async () => {
    await cluster?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  let urlFile = '';
  before(() => {
    urlFile = join(folder!, 'url');
    writeFileSync(urlFile, `${cluster!.url}\n`);
  });
  const perch = (line: string, environment: Record<string, string>): Promise<{ stdout: string }> =>
    promisify(execFile)(process.execPath, [main, ...line.split(' ')], {
      env: { ...process.env, PERCH_REDIS_URL_FILE: urlFile, ...environment },
      timeout: 100_000,
    });
  const json = async (line: string): Promise<any> => JSON.parse((await perch(`${line} --json`, { PERCH_REDIS_CA_FILE: certificate })).stdout);

  it('stores accounts, robots and keys on all three masters when PERCH_REDIS_CA_FILE names the CA and PERCH_REDIS_URL_FILE the URL', async () => {
    assert.match(cluster!.url, /^rediss-cluster:/);
    const { account } = await json('account add --email tls@example.org');
    const [{ robot }, { id }] = await Promise.all([json(`robot add --account ${account}`), json(`key add --account ${account}`)]);
    const { keys } = await json(`key list --account ${account}`);
    assert.deepEqual([keys.length, keys[0].id], [1, id]);
    assert.match(robot, /^r-/);
    assert.deepEqual(await json(`key revoke ${id} --account ${account}`), { id, revoked: true, webhooks: [] });
  });

  it('fails with a message that names PERCH_REDIS_CA_FILE when the CA is unknown', async () => {
    await assert.rejects(perch('account list', {}), (error: Error & { code: number; stderr: string }) => {
      assert.equal(error.code, 1);
      assert.match(error.stderr, /PERCH_REDIS_URL does not answer.*PERCH_REDIS_CA_FILE/);
      assert.doesNotMatch(error.stderr, /\n\s+at /);
      return true;
    });
  });
});

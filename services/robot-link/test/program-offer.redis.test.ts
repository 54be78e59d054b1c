import { readSignedUpdate, signedUpdateText, signUpdate, updateFile } from '@perch/installer/node';
import type { Welcome } from '@perch/virtual-robot';
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { RobotProgram } from '../src/http/robot-program.js';
import { useLink, useLinks } from './links-under-test.js';

describe('the offer of the robot program', () => {
  const shipped = updateFile();
  const system = useLinks();
  const link = useLink(system);
  let base: string;
  before(async () => {
    base = link.app.address.replace('ws:', 'http:').replace('/robot/v1/link', '');
  });

  async function welcomeOf(firmware: string): Promise<Welcome> {
    const { robot } = await system.robot(link, { firmware });
    let welcome: Welcome | null = null;
    robot.on('session', (received) => (welcome = received));
    await robot.start();
    return welcome!;
  }

  it('names version, path, sha256 and size to a robot with another version, and the file is there', async () => {
    const { update } = await welcomeOf('micropython-1.27.0 perch-0.0');
    assert.deepEqual(update, {
      version: shipped.version,
      url: `/robot/v1/program/${shipped.sha256}`,
      sha256: shipped.sha256,
      size: shipped.bytes.byteLength,
    });
    const response = await fetch(base + update!.url);
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.equal(response.status, 200);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), shipped.sha256);
    assert.equal(response.headers.get('content-length'), String(bytes.byteLength));
    assert.match(response.headers.get('cache-control') ?? '', /immutable/);
  });

  it('has the signature, the key and the versions of a signed program', async () => {
    const signed = signUpdate(generateKeyPairSync('ed25519').privateKey, { lowest: '0.1' });
    const other = await system.instance({ program: new RobotProgram(readSignedUpdate(signedUpdateText(signed))) });
    const { robot } = await system.robot(other, { firmware: 'micropython-1.27.0 perch-0.0' });
    await robot.start();
    const { version, sha256, key, signature, lowest, highest } = signed;
    const url = `/robot/v1/program/${sha256}`;
    assert.deepEqual(robot.updates.offer, { version, url, sha256, size: signed.bytes.byteLength, lowest, highest, key, signature });
    const file = await fetch(other.app.address.replace('ws:', 'http:').replace('/robot/v1/link', url));
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), signed.bytes);
  });

  it('is not made to a robot that has the version, and not to one with another program', async () => {
    for (const firmware of [`micropython-1.27.0 perch-${shipped.version}`, '1.0.0', 'micropython-1.27.0', 'esp32 perch-0.0'])
      assert.equal((await welcomeOf(firmware)).update, undefined, firmware);
  });

  it('is the same on every instance', async () => {
    const other = await system.instance();
    const { robot } = await system.robot(other, { firmware: 'micropython-1.27.0 perch-0.0' });
    await robot.start();
    assert.equal(robot.updates.offer?.sha256, shipped.sha256);
  });

  it('answers 404 for another version, 405 for another method, and HEAD without a body', async () => {
    const missing = await fetch(`${base}/robot/v1/program/${'0'.repeat(64)}`);
    assert.deepEqual([missing.status, ((await missing.json()) as { code: string }).code], [404, 'not_found']);
    const url = `${base}/robot/v1/program/${shipped.sha256}`;
    const posted = await fetch(url, { method: 'POST' });
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
    const head = await fetch(url, { method: 'HEAD' });
    assert.deepEqual([head.status, (await head.text()).length], [200, 0]);
  });
});

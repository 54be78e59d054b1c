import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publicKeyOf, readSignedUpdate, updateFile } from '@perch/installer/node';
import { runPerch, runPerchJson } from './run-perch.js';

describe('perch robot sign', () => {
  let folder: string;
  let key: string;
  let out: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perch-sign-'));
    key = join(folder, 'robots.pem');
    out = join(folder, 'robot-program.json');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('makes the key, of which it prints the public half alone, and writes a signed program', async () => {
    const { version } = updateFile();
    const answer = await runPerchJson<Record<string, unknown>>({}, ['robot', 'sign', '--key', key, '--out', out]);
    const signed = readSignedUpdate(readFileSync(out, 'utf8'));
    assert.deepEqual(answer, { version, key: signed.key, keys: [signed.key], lowest: '0', highest: version, sha256: signed.sha256 });
    assert.equal(statSync(key).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder).toSorted(), ['robot-program.json', 'robots.pem']);
    const again = await runPerch({}, ['robot', 'sign', '--key', key, '--out', out]);
    assert.equal(again.out, `signed ${version} with the key ${signed.key}\nwritten to ${out}\n`);
  });

  it('takes the key from PERCH_ROBOT_SIGNING_KEY, and writes it nowhere', async () => {
    const privateKey = generateKeyPairSync('ed25519').privateKey;
    const secret = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
    const answer = await runPerchJson<{ key: string }>({ PERCH_ROBOT_SIGNING_KEY: secret }, ['robot', 'sign', '--out', out]);
    assert.equal(answer.key, publicKeyOf(privateKey));
    assert.equal(readSignedUpdate(readFileSync(out, 'utf8')).key, publicKeyOf(privateKey));
    assert.deepEqual(readdirSync(folder), ['robot-program.json']);
    rmSync(out);
    for (const [variables, problem] of [
      [{}, /^perch: --key FILE, or PERCH_ROBOT_SIGNING_KEY with the key itself, is required$/m],
      [{ PERCH_ROBOT_SIGNING_KEY: 'no key' }, /^perch: PERCH_ROBOT_SIGNING_KEY has no private Ed25519 key in PEM$/m],
    ] as const) {
      const { code, err } = await runPerch(variables, ['robot', 'sign', '--out', out]);
      assert.equal(code, 64);
      assert.match(err, problem);
    }
    assert.deepEqual(readdirSync(folder), []);
  });

  it('signs another version, for other versions, and with other keys in it', async () => {
    const other = publicKeyOf(generateKeyPairSync('ed25519').privateKey);
    const more = ['--trust', other, '--program-version', '0.4.1', '--lowest', '0.3', '--highest', '0.5'];
    const { code, err } = await runPerch({}, ['robot', 'sign', '--key', key, '--out', out, ...more]);
    assert.equal(code, 0, err);
    const { version, lowest, highest, keys, key: own, bytes } = readSignedUpdate(readFileSync(out, 'utf8'));
    assert.deepEqual([version, lowest, highest, keys], ['0.4.1', '0.3', '0.5', [own, other]]);
    assert.match(bytes.toString(), /^VERSION = "0\.4\.1"$/m);
  });

  it('exits with 64 for a file that is no key, a version and a key that robots cannot read, and writes nothing', async () => {
    writeFileSync(key, 'no key');
    const wrong = await runPerch({}, ['robot', 'sign', '--key', key, '--out', out]);
    assert.deepEqual([wrong.code, wrong.err], [64, `perch: ${key} has no private Ed25519 key in PEM\n`]);
    rmSync(key);
    for (const more of [
      ['--highest', 'newest'],
      ['--program-version', '0.4"'],
      ['--trust', 'abc'],
    ])
      assert.equal((await runPerch({}, ['robot', 'sign', '--key', key, '--out', out, ...more])).code, 64, more.join(' '));
    assert.deepEqual(readdirSync(folder), ['robots.pem']);
  });
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shippedProgram } from '../src/node/program-folder.js';
import { requireSignature, signedProgramFiles, signedProgramOf } from '../src/index.js';
import { programFolder, publicKeyOf, readSignedUpdate, signedUpdateText, signingKey, signUpdate, updateFile, withKeys } from '../src/node/index.js';

describe('the signed robot program', () => {
  const own = generateKeyPairSync('ed25519').privateKey;
  const other = publicKeyOf(generateKeyPairSync('ed25519').privateKey);
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'perch-keys-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('consists of the program of this clone with the keys in it, signed with its versions and its sha256', () => {
    const signed = signUpdate(own, { otherKeys: [other] });
    const { version } = updateFile();
    assert.deepEqual([signed.version, signed.lowest, signed.highest, signed.key], [version, '0', version, publicKeyOf(own)]);
    assert.deepEqual(signed.keys, [publicKeyOf(own), other]);
    const text = ['perch robot program v1', version, '0', version, createHash('sha256').update(signed.bytes).digest('hex'), ''].join('\n');
    assert.ok(verify(null, Buffer.from(text), createPublicKey(own), Buffer.from(signed.signature, 'hex')));
    const lines = signed.bytes.toString().split('\n');
    assert.deepEqual(JSON.parse(lines[0]!).files.length, JSON.parse(updateFile().bytes.toString().split('\n')[0]!).files.length);
    for (const key of signed.keys) assert.ok(lines.join('').includes(`"${key.slice(0, 32)}"    "${key.slice(32)}",`));
  });

  it('reads as it was written, also without the last line break, which settings from files lose', () => {
    const signed = signUpdate(own, { version: '3.2.1', lowest: '0.4', highest: '4', otherKeys: [other] });
    const text = signedUpdateText(signed);
    assert.deepEqual(readSignedUpdate(text), signed);
    assert.deepEqual(readSignedUpdate(text.trimEnd()), signed);
  });

  it('cannot be read where anything in it has been changed, by Node or a browser', async () => {
    const signed = JSON.parse(signedUpdateText(signUpdate(own))) as Record<string, string>;
    const changed: [field: string, value: unknown, problem: RegExp][] = [
      ['program', signed['program']!.replace('Robot', 'Robut'), /damaged: its program has another sha256/],
      ['version', '99', /signature/],
      ['lowest', '0.1', /signature/],
      ['highest', '99', /signature/],
      ['key', other, /signature/],
      ['key', 'x', /names no Ed25519 key/],
      ['signature', signed['signature']!.replace(/^../, (byte) => (byte === '00' ? '01' : '00')), /signature/],
      ['signature', '', /signature/],
      ['signature', undefined, /has no signature/],
      ['start', undefined, /has no start/],
      ['start', { 'main.py': 7 }, /has no start/],
      ['program', 7, /has no program/],
    ];
    const checkInBrowser = async (read: unknown): Promise<void> => requireSignature(signedProgramOf(read, 'the file'), 'the file');
    await checkInBrowser(signed);
    for (const [field, value, problem] of changed) {
      assert.throws(() => readSignedUpdate(JSON.stringify({ ...signed, [field]: value })), problem, field);
      await assert.rejects(checkInBrowser({ ...signed, [field]: value }), problem, field);
    }
    for (const text of ['', 'null', '[]', '{}', signedUpdateText(signUpdate(own)).slice(0, -100)])
      assert.throws(() => readSignedUpdate(text), /no signed robot program/);
  });

  it('refuses a version that robots cannot compare, keys that are none, and a signing key of another kind', () => {
    for (const version of ['0.4-beta', '', '1.', '.1', '1.2.3.4.5', '1234567', '0.4\n1'])
      assert.throws(() => signUpdate(own, { lowest: version }), /not a version/);
    for (const key of ['', other.toUpperCase(), `${other}00`, other.slice(1)])
      assert.throws(() => signUpdate(own, { otherKeys: [key] }), /hexadecimal digits/);
    assert.throws(() => signUpdate(generateKeyPairSync('x25519').privateKey), /not an Ed25519 key/);
  });

  it('gives an installation by cable the files that an unsigned one has, in their order, with the keys in them', async () => {
    const files = await signedProgramFiles(signUpdate(own), 'the file');
    const unsigned = await programFolder();
    assert.deepEqual(
      files.map(({ path }) => path),
      unsigned.map(({ path }) => path),
    );
    const differing = files.filter(({ sha256 }, index) => sha256 !== unsigned[index]!.sha256);
    assert.deepEqual(
      differing.map(({ path }) => path),
      ['perch/keys.py'],
    );
    assert.ok(Buffer.from(differing[0]!.bytes).toString().includes(publicKeyOf(own).slice(32)));
  });

  it('gives no files where one that starts the program was changed, added or removed, of which the signature has the sha256', async () => {
    const signed = signUpdate(own);
    const { 'main.py': main, ...others } = signed.start;
    const changed: [start: Record<string, string>, problem: RegExp][] = [
      [{ ...others, 'main.py': `${main}\n` }, /its main\.py has another sha256/],
      [others, /its main\.py has another sha256/],
      [{ ...signed.start, 'late.py': '' }, /a file that was not signed/],
    ];
    for (const [start, problem] of changed) await assert.rejects(signedProgramFiles({ ...signed, start }, 'the file'), problem);
  });

  it('keeps keys that stand in the program beside that of its signer, such as the one of the release', () => {
    const program = join(folder, 'program');
    cpSync(shippedProgram, program, { recursive: true });
    const path = join(program, 'perch/keys.py');
    writeFileSync(path, withKeys('perch/keys.py', readFileSync(path, 'utf8'), [other]));
    assert.deepEqual(signUpdate(own, { folder: program }).keys, [publicKeyOf(own), other]);
  });

  it('has a key that only its owner reads, made once, with nothing left beside it', () => {
    const path = join(folder, 'state', 'robot-program.key');
    const key = publicKeyOf(signingKey(path));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(publicKeyOf(signingKey(path)), key);
    assert.deepEqual(readdirSync(join(folder, 'state')), ['robot-program.key']);
  });

  it('refuses a file that has no private Ed25519 key, and leaves it as it is', () => {
    const path = join(folder, 'wrong.key');
    for (const text of [
      '',
      'secret',
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    ]) {
      writeFileSync(path, text);
      assert.throws(() => signingKey(path), { message: `${path} has no private Ed25519 key in PEM` });
      assert.equal(statSync(path).size, text.length);
    }
  });

  it('has the public half of the key of the release job in it; the job makes none without a key', () => {
    const file = join(folder, 'robot-program.json');
    // Node 22.18 and newer, as in the workflow, need no tsx.
    const sign = (key: string) =>
      spawnSync(process.execPath, ['--import', 'tsx', 'scripts/release-robot-program.mjs', file], {
        cwd: fileURLToPath(new URL('../../..', import.meta.url)),
        env: { ...process.env, PERCH_ROBOT_SIGNING_KEY: key },
        encoding: 'utf8',
      });
    assert.equal(sign('').status, 64);
    const { status, stderr } = sign(own.export({ format: 'pem', type: 'pkcs8' }) as string);
    assert.equal(status, 0, stderr);
    const signed = readSignedUpdate(readFileSync(file, 'utf8'));
    assert.deepEqual([signed.key, signed.keys], [publicKeyOf(own), [publicKeyOf(own)]]);
    assert.equal(stderr, `perch: signed ${signed.version} with the key ${signed.key}\n`);
  });
});

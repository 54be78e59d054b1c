import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publicKeyOf, readSignedUpdate, signingKey } from '@perch/installer/node';
import { environmentOf } from '../src/service-process.js';
import { withSignedProgram } from '../src/signed-program.js';

describe('the signed robot program of npm start', () => {
  let state: string;
  let lines: string[];
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'perch state '));
    lines = [];
  });
  afterEach(() => rmSync(state, { recursive: true, force: true }));

  const environment = (env: NodeJS.ProcessEnv = {}) => withSignedProgram(state, env, (line) => lines.push(line));

  it('carries the signature of a key that the first start makes and that only its owner reads, and goes to robot-links and gateways alone', () => {
    const path = environment({ PERCH_LOG_LEVEL: 'warn' })['PERCH_ROBOT_PROGRAM']!;
    const key = publicKeyOf(signingKey(join(state, 'robot-program.key')));
    assert.deepEqual(readSignedUpdate(readFileSync(path, 'utf8')).keys, [key]);
    assert.equal(statSync(join(state, 'robot-program.key')).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(state).toSorted(), ['robot-program.json', 'robot-program.key']);
    assert.deepEqual(lines, []);
    const passed = (['robot-link', 'gateway', 'renderer', 'webhooks'] as const).map(
      (service) => environmentOf(service, environment())['PERCH_ROBOT_PROGRAM'],
    );
    assert.deepEqual(passed, [path, path, undefined, undefined]);
  });

  it('has the same key at the next start, and the key that the operator put in its place', () => {
    const keyOf = (): string => readSignedUpdate(readFileSync(environment()['PERCH_ROBOT_PROGRAM']!, 'utf8')).key;
    const first = keyOf();
    assert.equal(keyOf(), first);
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(join(state, 'robot-program.key'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
    assert.equal(keyOf(), publicKeyOf(privateKey));
  });

  it('makes no key where the operator has set a program that is signed elsewhere', () => {
    assert.deepEqual(environment({ PERCH_ROBOT_PROGRAM: '/signed.json' }), { PERCH_ROBOT_PROGRAM: '/signed.json' });
    assert.deepEqual(readdirSync(state), []);
  });

  it('leaves the setting out, with the reason, where the key cannot be read', () => {
    writeFileSync(join(state, 'robot-program.key'), 'no key');
    assert.deepEqual(environment({ PERCH_LOG_LEVEL: 'warn' }), { PERCH_LOG_LEVEL: 'warn' });
    assert.match(lines.join(), /the robot program is not signed, .*robot-program\.key has no private Ed25519 key in PEM/);
  });
});

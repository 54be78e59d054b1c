import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { unpackDebianMicropython } from '../src/debian-micropython.js';
import { findMicropython } from '../src/find-micropython.js';

describe('MicroPython on this machine', () => {
  let dir = '';
  let path: string | undefined;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'perch-micropython-'));
    path = process.env['PATH'];
  });
  afterEach(() => {
    process.env['PATH'] = path;
    rmSync(dir, { recursive: true, force: true });
  });

  const write = (name: string, text: string): string => {
    const file = join(dir, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const program = (name: string, text = '#!/bin/sh\n'): string => {
    const file = write(name, text);
    chmodSync(file, 0o755);
    return file;
  };
  const debian = (): string => write('os-release', 'ID=debian\nVERSION_CODENAME=bookworm\n');

  it('is the program of the setting, else the one on PATH, else the unpacked one with its own loader', () => {
    const env = { PATH: join(dir, 'bin'), PERCH_TEST_CACHE: join(dir, 'cache') };
    assert.equal(findMicropython(env), null);
    const unpacked = program('cache/micropython/usr/bin/micropython');
    assert.equal(findMicropython(env), null, 'without a loader it would use the libraries of the machine');
    const libraries = join(dir, 'cache/micropython/usr/lib/x86_64-linux-gnu');
    const loader = program('cache/micropython/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2');
    assert.deepEqual(findMicropython(env), { command: loader, args: ['--library-path', libraries, unpacked] });
    const onPath = program('bin/micropython');
    assert.deepEqual(findMicropython(env), { command: onPath, args: [] });
    const given = program('mine');
    assert.deepEqual(findMicropython({ ...env, PERCH_MICROPYTHON: given }), { command: given, args: [] });
    assert.equal(findMicropython({ ...env, PERCH_MICROPYTHON: join(dir, 'missing') }), null);
  });

  it('is downloaded from the own sources of the machine, with the newer release in place of its own, and nothing else is asked', async () => {
    write(
      'apt/sources.list.d/debian.sources',
      'Types: deb\nURIs: http://example.invalid/debian\nSuites: bookworm bookworm-updates\n\nTypes: deb\nURIs: http://example.invalid/security\nSuites: bookworm-security\n',
    );
    write('apt/sources.list.d/other.list', 'deb http://example.invalid/other stable main\n');
    write('apt/sources.list.d/off.sources.disabled', 'Suites: bookworm\n');
    // Notes its sources and fails, as without a network.
    program(
      'bin/apt-get',
      `#!/bin/sh\nfor a in "$@"; do case "$a" in Dir::Etc::SourceParts=*) cat "\${a#*=}"/* > "${dir}/seen";; esac; done\nexit 100\n`,
    );
    process.env['PATH'] = `${join(dir, 'bin')}${delimiter}${path}`;
    const target = join(dir, 'cache/micropython');
    await assert.rejects(unpackDebianMicropython(target, { apt: join(dir, 'apt'), osRelease: debian() }));
    assert.equal(readFileSync(join(dir, 'seen'), 'utf8'), 'Types: deb\nURIs: http://example.invalid/debian\nSuites: trixie\n');
    assert.deepEqual(readdirSync(join(dir, 'cache')), [], 'nothing is left');
  });

  it('is not downloaded on another system than Debian, or without sources', async () => {
    const target = join(dir, 'cache/micropython');
    const ubuntu = write('ubuntu', 'ID=ubuntu\nVERSION_CODENAME=noble\n');
    await assert.rejects(unpackDebianMicropython(target, { osRelease: ubuntu }), /this is not Debian/);
    await assert.rejects(unpackDebianMicropython(target, { apt: join(dir, 'none'), osRelease: debian() }), /apt has no source for bookworm/);
  });
});

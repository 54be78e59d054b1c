import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { helpText, parseOptions } from '../src/options.js';

describe('the options of npm start', () => {
  it('defaults to a gateway on 8080, a robot-link on 8081, a robot and a simulated person', () => {
    assert.deepEqual(parseOptions([]), {
      help: false,
      https: false,
      json: false,
      port: 8080,
      linkPort: 8081,
      gateways: 1,
      links: 1,
      renderers: 1,
      webhooks: 1,
      robot: 'virtual',
      person: 'answers',
      lan: null,
    });
  });

  it('parses every option', () => {
    const options = parseOptions(
      '--json --port 0 --link-port 9001 --gateways 2 --links 3 --renderers 4 --webhooks 0 --no-robot --person none'.split(' '),
    );
    assert.deepEqual(options, {
      help: false,
      https: false,
      json: true,
      port: 0,
      linkPort: 9001,
      gateways: 2,
      links: 3,
      renderers: 4,
      webhooks: 0,
      robot: null,
      person: 'none',
      lan: null,
    });
    assert.equal(parseOptions(['--port=7000']).port, 7000);
    assert.equal(parseOptions(['--robot', 'micropython']).robot, 'micropython');
    assert.deepEqual([parseOptions(['--lan']).lan, parseOptions(['--lan-address', '10.0.0.2']).lan], ['chosen', '10.0.0.2']);
  });

  for (const [args, says] of [
    ['--port 65536', /--port 65536: must be a whole number from 0 to 65535/],
    ['--port -1', /--port/],
    ['--port 80.5', /--port 80\.5/],
    ['--link-port x', /--link-port x/],
    ['--gateways 0', /--gateways 0: must be a whole number from 1/],
    ['--links 17', /--links 17/],
    ['--robot toy', /--robot toy: must be virtual or micropython/],
    ['--person alice', /--person alice: must be none or answers/],
    ['--https', /--https needs --lan/],
    ['--prot 1', /--prot.*--help/],
    ['--port', /--port/],
    ['extra', /extra/],
  ] as const) {
    it(`refuses ${args} and names the option`, () => {
      assert.throws(() => parseOptions(args.split(' ')), { message: says });
    });
  }

  it('lists all options in the help text', () => {
    for (const option of [
      '--port',
      '--link-port',
      '--gateways',
      '--links',
      '--renderers',
      '--robot KIND',
      '--no-robot',
      '--person none',
      '--lan',
      '--lan-address A',
      '--https',
      '--json',
      '--help',
    ]) {
      assert.ok(helpText.includes(`  ${option} `), option);
    }
  });

  it('are printed by --help before anything is installed or built', () => {
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    const folder = mkdtempSync(join(tmpdir(), 'perch-help-'));
    try {
      // Without set-up.mjs, which installs and builds.
      mkdirSync(join(folder, 'scripts'));
      for (const file of ['scripts/start.mjs', 'scripts/check-node.mjs', 'packages/launcher/help.txt']) cpSync(join(root, file), join(folder, file));
      for (const args of [['--help'], ['--port', '0', '-h']])
        assert.equal(execFileSync(process.execPath, [join(folder, 'scripts/start.mjs'), ...args], { encoding: 'utf8' }), helpText);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

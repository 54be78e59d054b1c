import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { freePort } from '@perch/testkit';
import { baseUrlDefault, configFile } from '../src/settings.js';
import { answeredPerch } from './answered-perch.js';

describe('perch <action>', () => {
  const at = answeredPerch();
  const { perch } = at;

  it('looks for the configuration file in one place, regardless of the working directory', () => {
    assert.equal(configFile({ HOME: '/home/ada', XDG_CONFIG_HOME: '/etc/ada' }), '/etc/ada/perch/config.json');
    assert.equal(configFile({ HOME: '/home/ada', XDG_CONFIG_HOME: 'ada' }), '/home/ada/.config/perch/config.json');
    assert.ok(isAbsolute(configFile({})));
  });

  it('takes URL, key and robot from flags, the environment or the configuration file, in this order', async () => {
    const { PERCH_BASE_URL: base_url } = at.environment;
    const config = join(at.folder, 'config', 'perch');
    await mkdir(config, { recursive: true });
    await writeFile(join(config, 'config.json'), JSON.stringify({ base_url, api_key: 'pk_file', robot: 'r-file' }));
    at.environment = { HOME: at.folder, XDG_CONFIG_HOME: join(at.folder, 'config') };
    const used = async (...flags: string[]): Promise<unknown> => {
      assert.equal((await perch('stop', ...flags)).code, 0);
      const { path, key } = at.asked.at(-1)!;
      return [path.split('/')[3], key];
    };
    assert.deepEqual(await used(), ['r-file', 'Bearer pk_file']);
    // As editors of Windows save it.
    await writeFile(join(config, 'config.json'), `\ufeff${JSON.stringify({ base_url, api_key: 'pk_file', robot: 'r-marked' })}`);
    assert.deepEqual(await used(), ['r-marked', 'Bearer pk_file']);
    at.environment['PERCH_API_KEY'] = 'pk_environment';
    assert.deepEqual(await used(), ['r-marked', 'Bearer pk_environment']);
    assert.deepEqual(await used('--robot', 'r-flag', '--api-key', 'pk_flag'), ['r-flag', 'Bearer pk_flag']);

    for (const [text, says] of [
      ['{', /config.json is not JSON/],
      ['[1]', /must be an object of strings/],
      ['{"key":"pk"}', /"key" is unknown or not a string/],
    ] as const) {
      await writeFile(join(config, 'config.json'), text);
      const { code, err } = await perch('stop');
      assert.equal(code, 64);
      assert.match(err, says);
    }
  });

  it("uses the key's only robot by default, and requires a choice if there are several", async () => {
    delete at.environment['PERCH_ROBOT'];
    const robot = { online: true, model: 'm', firmware: '1', commands: [], labels: {} };
    at.answer.body = { ok: true, robots: [{ id: 'r-only', name: 'Desk', ...robot }] };
    assert.equal((await perch('stop')).code, 0);
    assert.deepEqual(
      at.asked.map(({ path }) => path),
      ['/v1/robots?limit=20', '/v1/robots/r-only/stop'],
    );
    assert.match((await perch('robots')).out, /r-only +Desk +online +m +1/);
    at.answer.body = {
      ok: true,
      robots: [
        { id: 'r-a', name: 'Desk', ...robot },
        { id: 'r-b', name: 'r-b', ...robot, online: false },
      ],
    };
    const { code, err } = await perch('stop');
    assert.equal(code, 64);
    assert.match(err, /--robot: r-a \(Desk, online\), r-b \(offline\)/);
  });

  it('reports a missing key, and an unreachable service', async () => {
    at.environment = { HOME: at.folder };
    const { code, err } = await perch('stop');
    assert.equal(code, 64);
    assert.match(err, /PERCH_API_KEY.*config.json/);
    at.environment = { HOME: at.folder, PERCH_BASE_URL: `http://127.0.0.1:${await freePort()}`, PERCH_API_KEY: 'pk', PERCH_ROBOT: 'r' };
    const unreachable = await perch('stop');
    assert.equal(unreachable.code, 1);
    assert.match(unreachable.err, /^perch: The service cannot be reached .*\n$/);
  });

  it('names the address that it calls without one in its help, in the README and in docs/shell.md', async () => {
    const texts = [(await perch('help')).out, (await perch('help', 'ask')).out];
    for (const page of ['packages/cli/README.md', 'docs/shell.md']) texts.push(await readFile(new URL(`../../../${page}`, import.meta.url), 'utf8'));
    for (const text of texts)
      assert.match(
        text.replaceAll(/\s+/g, ' '),
        new RegExp(`(?:Without an? (?:URL|address) it is |default: PERCH_BASE_URL, or )\`?${baseUrlDefault}`),
      );
  });
});

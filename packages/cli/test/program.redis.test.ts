import assert from 'node:assert/strict';
import { isPlainText } from '@perch/schema';
import type { Store } from '@perch/store';
import { PerchWithStore } from './run-perch.js';

describe('perch', () => {
  let cli: PerchWithStore;
  let store: Store;
  before(async () => {
    cli = await PerchWithStore.open();
    ({ store } = cli);
  });
  after(() => cli?.store.close());

  it('prints no escape sequences of robots, names and rejected arguments', async () => {
    const hostile = 'Desk\x1b]0;owned\x07\n\u202e\x9b2J';
    const account = await cli.addAccount();
    // As versions before 1.0 stored them.
    const { robot } = await store.robots.create({ account, name: hostile });
    await store.apiKeys.create({ account, name: hostile });
    const tokenHash = (await store.robots.get(robot))?.tokenHash ?? '';
    await store.leases.take(robot, { session: 's-hostile00', bootId: 'b', dial: 1, tokenHash, model: hostile, firmware: hostile, hello: {} });
    const shown = 'Desk\\u001b]0;owned\\u0007\\u000a\\u202e\\u009b2J';
    for (const list of ['robot', 'key']) {
      const { out } = await cli.run(`${list} list --account ${account}`);
      assert.ok(out.includes(shown), out);
      assert.deepEqual(
        out.split('\n').filter((line) => !isPlainText(line)),
        [],
      );
      assert.ok(isPlainText((await cli.run(`${list} list --account ${account} --json`)).out.trimEnd()));
    }
    const { err } = await cli.run(`account link ${hostile.replace('\n', '')}@x`);
    assert.match(err, /^perch: there is no account/);
    assert.ok(isPlainText(err.trimEnd()), err);
  });

  it('rejects names and addresses with control or text-direction characters, naming the argument', async () => {
    const account = await cli.addAccount();
    for (const character of ['\x1b', '\x9b', '\u202e']) {
      for (const line of [`robot add --account ${account} --name a${character}b`, `key add --account ${account} --name a${character}b`]) {
        const { code, err } = await cli.run(line);
        assert.deepEqual([code, err], [64, 'perch: --name: must not contain line breaks, control characters or text-direction characters\n']);
      }
      assert.match((await cli.run(`account add --email ada${character}@example.org`)).err, /^perch: email: not an e-mail address\n$/);
    }
  });

  for (const [line, code, says] of [
    ['robot add', 64, /--account/],
    ['robot add --account a-nobody0000', 1, /no account a-nobody0000.*account list/],
    ['robot remove r-nobody0000', 1, /no robot r-nobody0000/],
    ['key add --account a-nobody0000', 1, /no account/],
    ['key list --account a-nobody0000', 1, /no account/],
    ['account add --email nobody', 1, /email/],
    ['account ad', 64, /unknown command|ad/],
    ['robotts', 64, /unknown command/],
    ['key add --account a --colour red', 64, /--colour/],
  ] as const) {
    it(`rejects "${line}" with ${code} and names the problem`, async () => {
      const result = await cli.run(line);
      assert.equal(result.code, code, result.err);
      assert.match(result.err, says);
      assert.equal(result.out, '');
    });
  }

  for (const line of ['--help', 'account --help', 'robot add --help', 'key add --help']) {
    it(`prints help with examples or options: ${line}`, async () => {
      const { code, out } = await cli.run(line, '');
      assert.equal(code, 0);
      assert.match(out, /Usage: perch/);
    });
  }
});

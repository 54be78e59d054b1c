import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { isCommonPassword } from '../src/auth/passwords.js';

describe('isCommonPassword', () => {
  const email = 'ada.lovelace@example.org';

  for (const common of [
    'password1234',
    'P@ssw0rd1234',
    '123456789012',
    'qwertyuiop12',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'iloveyouiloveyou',
    'ada.lovelace@example.org',
    'lovelacelovelace',
    'perchperch12',
  ])
    it(`refuses ${common} for ada.lovelace@example.org`, async () => assert.equal(await isCommonPassword(common, email), true));

  for (const strong of ['correct horse battery', 'another good one', 'kJ7#pLm2$xQ9', 'отличный длинный пароль'])
    it(`accepts ${strong}`, async () => assert.equal(await isCommonPassword(strong, email), false));

  it('accepts every password that `perch account password` generates', async () => {
    for (let i = 0; i < 50; i++) assert.equal(await isCommonPassword(randomBytes(15).toString('base64url'), email), false);
  });

  it('examines only the first 24 characters', async () => {
    const common = 'password'.repeat(3);
    assert.equal(common.length, 24);
    for (const tail of ['', 'kJ7#pLm2$xQ9', 'kJ7#pLm2$xQ9'.repeat(14)]) assert.equal(await isCommonPassword(common + tail, email), true, tail);
    assert.equal(await isCommonPassword('passwordpasswordkJ7#pLm2', email), false, 'the 24th character is examined');
    assert.equal(await isCommonPassword(`${'kJ7#pLm2$xQ9'.repeat(2)}${'password'.repeat(20)}`, email), false);
  });

  it('checks a password of the maximum length without examining all of it', async () => {
    await isCommonPassword('warm-up of it', email);
    for (const text of ['p4ssw0rd', '@1$0', '1l|!', 'ab12']) {
      const before = process.cpuUsage();
      await isCommonPassword(text.repeat(50).slice(0, 200), email);
      const { user, system } = process.cpuUsage(before);
      assert.ok((user + system) / 1000 < 5_000, text);
    }
  });
});

import assert from 'node:assert/strict';
import type { GuestPass } from '@perch/store';
import { KeyValidity } from '../src/calls/key-validity.js';

describe('KeyValidity', () => {
  const create = (revoked: string[]): { keyValidity: KeyValidity; checked: string[] } => {
    const checked: string[] = [];
    const stillValid = async (keys: readonly string[]): Promise<boolean[]> => {
      checked.push(...keys);
      return keys.map((key) => !revoked.includes(key));
    };
    const stillHave = async (passes: readonly GuestPass[]): Promise<boolean[]> => passes.map(({ needs }) => needs === 'watch');
    return { keyValidity: new KeyValidity({ stillValid, ownerOf: async () => null }, { stillHave }), checked };
  };
  const agoMs = (ms: number): number => performance.now() - ms;

  it('trusts a key that was checked less than 750 ms ago without another check', async () => {
    const { keyValidity, checked } = create(['key']);
    await keyValidity.require({ keyHash: 'key', keyCheck: { at: agoMs(100) }, guest: null }, 'before the end');
    assert.deepEqual(checked, []);
  });

  it('checks a key again after 750 ms, and trusts it from that check on', async () => {
    const { keyValidity, checked } = create([]);
    const call = { keyHash: 'key', keyCheck: { at: agoMs(751) }, guest: null };
    for (let i = 0; i < 2; i++) await keyValidity.require(call, 'before the end');
    assert.deepEqual(checked, ['key']);
  });

  it('rejects a key that was revoked since its last check, and says what it ended', async () => {
    const { keyValidity } = create(['key']);
    const error = { code: 'unauthorized', message: 'The API key stopped working before the end.' };
    await assert.rejects(keyValidity.require({ keyHash: 'key', keyCheck: { at: agoMs(751) }, guest: null }, 'before the end'), error);
  });

  it('rejects a guest whose robot is no longer shared to use, and not one who may still watch it', async () => {
    const { keyValidity } = create([]);
    const guest: GuestPass = { robot: 'r-1', account: 'a-1', email: 'ada@example.org', needs: 'use' };
    const call = { keyHash: 'key', keyCheck: { at: agoMs(751) }, guest };
    await assert.rejects(keyValidity.require(call, 'before the end'), { code: 'unknown_robot' });
    await keyValidity.require({ ...call, guest: { ...guest, needs: 'watch' } }, 'before the end');
  });

  it('returns the keys that stopped working out of several', async () => {
    const { keyValidity } = create(['b']);
    assert.deepEqual([...(await keyValidity.stopped(['a', 'b', 'c']))], ['b']);
  });
});

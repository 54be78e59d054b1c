import assert from 'node:assert/strict';
import { KeyValidity } from '../src/calls/key-validity.js';

describe('KeyValidity', () => {
  const create = (revoked: string[]): { keyValidity: KeyValidity; checked: string[] } => {
    const checked: string[] = [];
    const stillValid = async (keys: readonly string[]): Promise<boolean[]> => {
      checked.push(...keys);
      return keys.map((key) => !revoked.includes(key));
    };
    return { keyValidity: new KeyValidity({ stillValid }), checked };
  };
  const agoMs = (ms: number): number => performance.now() - ms;

  it('trusts a key that was checked less than 750 ms ago without another check', async () => {
    const { keyValidity, checked } = create(['key']);
    await keyValidity.require({ keyHash: 'key', keyCheck: { at: agoMs(100) } }, 'before the end');
    assert.deepEqual(checked, []);
  });

  it('checks a key again after 750 ms, and trusts it from that check on', async () => {
    const { keyValidity, checked } = create([]);
    const call = { keyHash: 'key', keyCheck: { at: agoMs(751) } };
    for (let i = 0; i < 2; i++) await keyValidity.require(call, 'before the end');
    assert.deepEqual(checked, ['key']);
  });

  it('rejects a key that was revoked since its last check, and says what it ended', async () => {
    const { keyValidity } = create(['key']);
    const error = { code: 'unauthorized', message: 'The API key stopped working before the end.' };
    await assert.rejects(keyValidity.require({ keyHash: 'key', keyCheck: { at: agoMs(751) } }, 'before the end'), error);
  });

  it('returns the keys that stopped working out of several', async () => {
    const { keyValidity } = create(['b']);
    assert.deepEqual([...(await keyValidity.stopped(['a', 'b', 'c']))], ['b']);
  });
});

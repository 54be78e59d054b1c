import assert from 'node:assert/strict';
import { placeWithUser } from '../src/store.js';
import { placeOf } from '../src/redis/connections.js';

describe('the place of a Redis in messages', () => {
  for (const [url, place] of [
    ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379'],
    ['redis://perch:secret@r:6379/3', 'redis://r:6379'],
    ['redis://perch:se@cret@r:6379', 'redis://r:6379'],
    ['redis://r:6379?username=perch&password=secret', 'redis://r:6379'],
    ['rediss-sentinel://perch:secret@a:1,[::1]:2/mymaster', 'rediss-sentinel://a:1,[::1]:2'],
  ] as const)
    it(`${url} is told as scheme and hosts alone`, () => assert.equal(placeOf(url), place));

  it('is told with the user, and never with the password, where an instance waits for it', () => {
    for (const [url, place] of [
      ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379 without a user'],
      ['redis://perch:secret@10.0.0.4:6379/2', 'redis://10.0.0.4:6379 as user perch'],
      ['redis://r:6379?username=perch&password=secret', 'redis://r:6379 as user perch'],
      ['rediss://:secret@r', 'rediss://r as user default'],
      ['redis://a%40b:secret%2F2@r:1', 'redis://r:1 as user a@b'],
      ['redis-sentinel://perch:secret@s1:26379,s2:26379/main', 'redis-sentinel://s1:26379,s2:26379 as user perch'],
      ['rediss-cluster://perch:secret@c1:6379,c2:6379', 'rediss-cluster://c1:6379,c2:6379 as user perch'],
    ] as const)
      assert.equal(placeWithUser(url), place);
  });
});

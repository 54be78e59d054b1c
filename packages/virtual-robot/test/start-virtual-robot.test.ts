import assert from 'node:assert/strict';
import { linkUrlOf } from '../src/index.js';

describe('the address of the robot link', () => {
  it('is derived from the address of a service, with its path', () => {
    for (const [base, link] of [
      ['http://127.0.0.1:8080', 'ws://127.0.0.1:8080/robot/v1/link'],
      ['https://perch.example.org/', 'wss://perch.example.org/robot/v1/link'],
      ['https://example.org/perch/', 'wss://example.org/perch/robot/v1/link'],
      ['ws://127.0.0.1:8081/robot/v1/link', 'ws://127.0.0.1:8081/robot/v1/link'],
    ] as const)
      assert.equal(linkUrlOf(base), link);
  });

  it('is refused for an address of another scheme, or for no address', () => {
    for (const base of ['', 'perch.example.org', 'ftp://perch.example.org'])
      assert.throws(() => linkUrlOf(base), /^TypeError: baseUrl must be/, base);
  });
});

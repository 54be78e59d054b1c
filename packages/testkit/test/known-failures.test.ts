import assert from 'node:assert/strict';

interface Entry {
  file: string;
  title: string;
  reason: string;
  since: string;
}

const module = new URL('../../../scripts/known-failures.mjs', import.meta.url).href;

describe('the list of known failures', () => {
  let list: Entry[] = [];
  let problemsOf: (entries: Entry[], today?: string | null) => string[] = () => [];
  before(async () => {
    ({ knownFailures: list, problemsOfKnown: problemsOf } = (await import(module)) as {
      knownFailures: Entry[];
      problemsOfKnown: typeof problemsOf;
    });
  });
  const entry = { file: 'tools/load/test/a.test.ts', title: 'a', reason: 'the reason', since: '2026-11-01' };

  it('has at most five entries, each with a reason and a date', () => {
    assert.deepEqual(problemsOf(list), []);
    assert.deepEqual(problemsOf([entry]), []);
    assert.match(problemsOf(Array.from({ length: 6 }, () => entry)).join(), /^there are 6 known failures; at most 5/);
    assert.match(problemsOf([{ ...entry, reason: '' }]).join(), /needs file, title and reason/);
    assert.match(problemsOf([{ ...entry, since: 'today' }]).join(), /since is today, and must be a date/);
  });

  it('has no test of the interface, of tenants, of security, of chaos or of upgrades', () => {
    for (const file of [
      'test-e2e/scenarios/isolation.test.ts',
      'services/gateway/test/a.test.ts',
      'tools/chaos/test/a.test.ts',
      'tools/rolling/test/a.test.ts',
    ])
      assert.match(problemsOf([{ ...entry, file }]).join(), /must not be listed/, file);
  });

  it('is refused by the nightly run and by a release when an entry is older than 30 days', () => {
    assert.deepEqual(problemsOf([entry], '2026-12-01'), []);
    assert.match(problemsOf([entry], '2026-12-02').join(), /has been a known failure for 31 days/);
  });
});

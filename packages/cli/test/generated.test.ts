import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { actions } from '../src/actions/actions.generated.js';
import { generatedActions } from './programs/generated.js';

describe('the flags of the actions', () => {
  it('matches the schemas; otherwise run pnpm --filter @perch/cli run generate', async () => {
    assert.equal(await readFile(new URL('../src/actions/actions.generated.ts', import.meta.url), 'utf8'), generatedActions());
  });

  it('has no argument named like a flag of all actions', () => {
    const own = ['robot', 'base_url', 'api_key', 'json', 'idempotency_key', 'help'];
    for (const { name, args } of actions)
      assert.deepEqual(
        Object.keys(args.properties).filter((arg) => own.includes(arg)),
        [],
        name,
      );
  });
});

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { goldenFile, goldenNames, goldenObjects, goldenText } from '../src/golden.ts';
import { problemsOf } from '../src/strict-models.ts';
import { requireEngine } from './engine.ts';

describe('the values files of deploy/helm/values', () => {
  it('have a golden file each', () => {
    assert.deepEqual(goldenNames(), ['cluster.yaml', 'managed.yaml', 'single.yaml']);
    assert.deepEqual(readdirSync(new URL('golden', import.meta.url)).toSorted(), goldenNames());
  });

  for (const name of goldenNames()) {
    it(`render ${name} as the golden file says, into objects that Kubernetes accepts (otherwise: npx pnpm run -r generate, and read the difference)`, function () {
      const engine = requireEngine(this);
      assert.equal(goldenText(engine, name), goldenFile(name));
      assert.deepEqual(goldenObjects(engine, name).flatMap(problemsOf), []);
    });
  }
});

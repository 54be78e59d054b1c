import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withSources } from '../src/report/bundled-sources.js';
import { flameOf, flameSvg, type CpuProfile } from '../src/report/flame.js';

const frame = (functionName: string, url = ''): CpuProfile['nodes'][number]['callFrame'] => ({ functionName, url });

/** root -> a (10 µs) -> [b (20 µs), b (30 µs)], idle (1000 µs) */
const profile: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 5] },
    { id: 2, callFrame: frame('a', 'file:///x/services/gateway/dist/rest.js'), children: [3, 4] },
    { id: 3, callFrame: frame('b', 'file:///x/node_modules/ioredis/built/Redis.js') },
    { id: 4, callFrame: frame('b', 'file:///x/node_modules/ioredis/built/Redis.js') },
    { id: 5, callFrame: frame('(idle)') },
  ],
  samples: [2, 3, 4, 5],
  timeDeltas: [10, 20, 30, 1000],
};

describe('flameOf and flameSvg', () => {
  it('flameOf sums a function and its callees, merges equal calls and omits idle time', () => {
    const root = flameOf(profile);
    assert.equal(root.us, 60);
    const [a, ...others] = root.callees;
    assert.deepEqual([others.length, a!.name, a!.where, a!.us], [0, 'a', 'services/gateway/rest', 60]);
    assert.deepEqual(
      a!.callees.map(({ name, where, us }) => ({ name, where, us })),
      [{ name: 'b', where: 'ioredis', us: 50 }],
    );
  });

  it('flameSvg draws each box as wide as its share', () => {
    const svg = flameSvg('a < b', flameOf(profile));
    assert.match(svg, /a &lt; b/);
    assert.match(svg, /<title>b ioredis: 83\.3 %<\/title><rect x="0\.0" y="66" width="1000\.0"/);
    assert.equal(svg.match(/<rect x=/g)!.length, 3);
  });

  it('flameOf names the source module of a function in a bundled service', () => {
    const folder = mkdtempSync(join(tmpdir(), 'perch-flame-'));
    try {
      const url = pathToFileURL(join(folder, 'services/gateway/dist/main.js')).href;
      const bundle = join(folder, 'main.js');
      // One segment: line 0, column 0 of the bundle is line 0, column 0 of the first source.
      writeFileSync(`${bundle}.map`, JSON.stringify({ version: 3, names: [], sources: ['../packages/store/src/calls/waits.ts'], mappings: 'AAAA' }));
      const bundled = { ...frame('a', pathToFileURL(bundle).href), lineNumber: 0, columnNumber: 7 };
      const other = frame('b', url);
      const { nodes } = withSources({ nodes: [bundled, other].map((callFrame, id) => ({ id, callFrame })), samples: [], timeDeltas: [] });
      assert.match(nodes[0]!.callFrame.url, /\/packages\/store\/src\/calls\/waits\.ts$/);
      assert.equal(nodes[1]!.callFrame.url, url, 'a module without a source map');
      assert.equal(flameOf({ nodes, samples: [], timeDeltas: [] }).where, 'packages/store/calls/waits');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

import assert from 'node:assert/strict';
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
  it('sum a function and its callees, merge equal calls and omit idle time', () => {
    const root = flameOf(profile);
    assert.equal(root.us, 60);
    const [a, ...others] = root.callees;
    assert.deepEqual([others.length, a!.name, a!.where, a!.us], [0, 'a', 'services/gateway/rest', 60]);
    assert.deepEqual(
      a!.callees.map(({ name, where, us }) => ({ name, where, us })),
      [{ name: 'b', where: 'ioredis', us: 50 }],
    );
  });

  it('draw each box as wide as its share', () => {
    const svg = flameSvg('a < b', flameOf(profile));
    assert.match(svg, /a &lt; b/);
    assert.match(svg, /<title>b ioredis: 83\.3 %<\/title><rect x="0\.0" y="66" width="1000\.0"/);
    assert.equal(svg.match(/<rect x=/g)!.length, 3);
  });
});

import assert from 'node:assert/strict';
import { renderHash } from '../src/media/renders.js';

describe('renderHash', () => {
  // Instances share results by these hashes. Another value of the same job means that every picture and sound is made anew after an update.
  it('hashes a job by its content and the version of the renderer, whatever the order of its fields and whichever the account', () => {
    const scene = { type: 'card', text: 'Grüß dich 😀', title: 'T' };
    const job = { bytesMax: 1000, formats: ['png', 'jpeg'], uploads: ['u1'], scene, account: 'a-1', kind: 'draw' } as const;
    assert.equal(renderHash(job), 'fecfb78aa7dae546c07c1905032545df8ae30f28618f67fcd1b90208ba87b3d4');
    assert.equal(renderHash({ ...job, account: 'a-2' }), renderHash(job));
    const sound = { kind: 'sound', account: 'a-1', spec: { chime: 'done' }, rate: 16_000 } as const;
    assert.equal(renderHash(sound), '873f0fef729442eb10f1ed29ccd162b458f4c238edf0ad51c9704f57aa09aa83');
  });
});

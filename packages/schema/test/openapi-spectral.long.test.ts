import assert from 'node:assert/strict';
import { openApiDocument } from '../src/index.js';
import { spectralProblems } from './spectral.js';

describe('the OpenAPI description and Spectral', () => {
  it("passes Spectral's recommended rules (spectral:oas) without errors or warnings", async function () {
    // Spectral resolves every reference at every place: 7 s for this description, several times that on a busy machine.
    this.timeout(180_000);
    assert.deepEqual(await spectralProblems(openApiDocument('https://robots.test')), []);
    assert.deepEqual(await spectralProblems({ openapi: '3.1.0', info: { title: 'x', version: '1' }, servers: [{ url: '/' }], paths: {} }), [
      'info-contact info',
      'info-description info',
    ]);
  });
});

import assert from 'node:assert/strict';
import { defineSettings, loadConfig } from '../../src/index.js';
import { parseHeaders, traceProblems, traceSettings, tracesUrl } from '../../src/traces/trace-settings.js';

const settings = defineSettings(traceSettings);

describe('the settings of traces', () => {
  it('leaves tracing off by default, with a ratio of one in a hundred once an endpoint is set', () => {
    const off = loadConfig(settings, {});
    assert.deepEqual([off.tracesEndpoint, off.tracesSample, off.tracesHeaders], [null, 0.01, null]);
    assert.deepEqual(traceProblems(off), []);
  });

  it('accepts ratios from 0 to 1, refuses others and names the setting', () => {
    for (const part of ['0', '1', '0.5', '0.001']) assert.equal(loadConfig(settings, { PERCH_TRACES_SAMPLE: part }).tracesSample, Number(part));
    for (const wrong of ['1.1', '-0.1', '1%', 'all', '.5', '1e-3', 'NaN'])
      assert.throws(() => loadConfig(settings, { PERCH_TRACES_SAMPLE: wrong }), /PERCH_TRACES_SAMPLE: must be a number from 0 to 1/, wrong);
  });

  it('refuses headers of another form and names the setting, without repeating the headers', () => {
    assert.deepEqual(parseHeaders('authorization=Bearer%20s3cret, x-tenant = a=b'), { authorization: 'Bearer s3cret', 'x-tenant': 'a=b' });
    for (const wrong of ['s3cret', 'a b=s3cret', 'a=s3cret,', 'a=s3cret%0d%0aHost: x', 'a=%', '=s3cret']) {
      const [problem] = traceProblems(loadConfig(settings, { PERCH_TRACES_HEADERS: wrong }));
      assert.match(problem ?? '', /^PERCH_TRACES_HEADERS: /, wrong);
      assert.doesNotMatch(problem ?? '', /s3cret/);
    }
  });

  it('sends to /v1/traces unless the endpoint has a path', () => {
    assert.equal(tracesUrl('http://collector:4318'), 'http://collector:4318/v1/traces');
    assert.equal(tracesUrl('http://collector:4318/'), 'http://collector:4318/v1/traces');
    assert.equal(tracesUrl('https://collector.example/otlp/v1/traces'), 'https://collector.example/otlp/v1/traces');
  });
});

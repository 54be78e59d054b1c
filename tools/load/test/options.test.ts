import assert from 'node:assert/strict';
import { loadArguments } from '../src/options.js';

describe('options of npm run load', () => {
  it('defaults every option', () => {
    const { robots, rate, minutes, mix, base, part, storm, thresholds, start } = loadArguments([]);
    assert.deepEqual(
      { robots, rate, minutes, mix, base, part, storm, thresholds },
      { robots: 100, rate: 10, minutes: 1, mix: null, base: null, part: { index: 0, count: 1 }, storm: false, thresholds: {} },
    );
    assert.deepEqual(start, { gateways: 1, links: 1, renderers: 1, webhooks: 1 });
  });

  it('accepts fractional minutes and rates', () => {
    const { minutes, rate } = loadArguments(['--minutes', '0.1', '--rate', '2.5']);
    assert.deepEqual({ minutes, rate }, { minutes: 0.1, rate: 2.5 });
  });

  it('starts two robot-links for a storm', () => {
    assert.equal(loadArguments(['--storm']).start.links, 2);
  });

  it('accepts a list of addresses and thresholds', () => {
    const args = ['--base', 'http://a:1/,https://b', '--link', 'ws://c/robot/v1/link', '--threshold', 'p99_ms=500', '--threshold', 'errors=0'];
    const { base, links, thresholds } = loadArguments(args);
    assert.deepEqual(base, ['http://a:1', 'https://b']);
    assert.deepEqual(links, ['ws://c/robot/v1/link']);
    assert.deepEqual(thresholds, { p99_ms: 500, errors: 0 });
  });

  it('accepts reports to merge', () => {
    assert.deepEqual(loadArguments(['--merge', 'a.json', 'b.json', '--json', 'all.json']).merge, ['a.json', 'b.json']);
  });

  const wrong: [args: string[], name: RegExp][] = [
    [['--robots', '0'], /--robots 0: must be a whole number from 1/],
    [['--robots', '1.5'], /--robots 1\.5/],
    [['--robots', 'many'], /--robots many/],
    [['--rate=-1'], /--rate -1/],
    [['--rate', 'NaN'], /--rate NaN/],
    [['--minutes', '0'], /--minutes 0/],
    [['--minutes', ''], /--minutes/],
    [['--mix', ''], /--mix: must not be empty/],
    [['--json', ''], /--json: must not be empty/],
    [['--base', 'localhost:8080'], /--base localhost:8080: must be a URL/],
    [['--base', 'ftp://a'], /--base ftp:\/\/a/],
    [['--base', 'http://a', '--link', 'http://a'], /--link http:\/\/a/],
    [['--base', 'http://a', '--metrics', 'x'], /--metrics x/],
    [['--link', 'ws://a'], /--link: needs --base/],
    [['--webhook-host', 'a'], /--webhook-host: needs --base/],
    [['--base', 'http://a', '--gateways', '2'], /--gateways: cannot be given with --base/],
    [['--gateways', '0'], /--gateways 0/],
    [['--storm', '--links', '1'], /--storm: needs --links 2/],
    [['--storm', '--base', 'http://a'], /--storm: with --base/],
    [['--base', 'http://a', '--storm-pid', '5'], /--storm-pid: needs --storm/],
    [['--storm', '--storm-pid', '5'], /--storm-pid: needs --base/],
    [['--base', 'http://a', '--storm', '--storm-pid', '1'], /--storm-pid 1/],
    [['--base', 'http://a', '--storm', '--storm-pid', '5', '--storm-command', 'x'], /--storm-pid: cannot be given with --storm-command/],
    [['--part', '5/4'], /--part 5\/4/],
    [['--part', '0/4'], /--part 0\/4/],
    [['--part', '1'], /--part 1/],
    [['--part', '1/4', '--robots', '3'], /--robots 3: must be at least the number of parts/],
    [['--workers', '0'], /--workers 0/],
    [['--threshold', 'p99=5'], /--threshold p99=5: the name must be one of p50_ms/],
    [['--threshold', 'p99_ms'], /--threshold p99_ms=/],
    [['--merge'], /--merge: name the reports/],
    [['report.json'], /report\.json: not an option/],
    [['--robot', '5'], /--robot/],
  ];
  for (const [args, name] of wrong) {
    it(`rejects ${args.join(' ')} and names the option`, () => {
      assert.throws(() => loadArguments(args), name);
    });
  }
});

/** Quoting of arguments in each language; test-e2e runs the snippets. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { PickedPicture } from '../../src/pages/robot/playground/draft/draft.js';
import { snippetsOf } from '../../src/pages/robot/playground/request/snippets.js';

const picture = new PickedPicture("it's $HOME.png", 'image/png', 'iVBORw0KGgo=');
const odd = 'a \'b\' "c" \\ $(date) `x` \n\t ü 🍕 \u2028 EOF';

function text(id: string, action: string, args: Record<string, unknown>): string {
  return snippetsOf({ baseUrl: 'http://127.0.0.1:8080', robot: 'r-1', action, args }).find((each) => each.id === id)!.text;
}

function shell(script: string, folder?: string): string[] {
  const lines = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; if [ "$6" = "-d" ] && [ "$7" = "@-" ]; then cat; fi; }\n${script}`;
  return execFileSync('sh', ['-c', lines], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], PERCH_API_KEY: 'pk_x' },
    ...(folder === undefined ? {} : { cwd: folder }),
  }).split('\0');
}

describe('snippets', () => {
  it('quotes any arguments for curl so that the shell passes them unchanged', () => {
    const handed = shell(text('curl', 'say', { text: odd }));
    assert.deepEqual(handed.slice(0, -2), [
      'http://127.0.0.1:8080/v1/robots/r-1/say',
      '-H',
      'Authorization: Bearer pk_x',
      '-H',
      'Content-Type: application/json',
      '-d',
    ]);
    assert.deepEqual(JSON.parse(handed.at(-2)!), { text: odd });
  });

  it('quotes any arguments for Python and JavaScript so that the client receives them unchanged', () => {
    const args = { text: odd, list: [1, -0.5, true, false, null, [], {}, 'x'.repeat(90)], deep: { 'a-b': { c: [[1, 2]] }, __proto__x: 1 } };
    const python = text('python', 'command', args);
    const call = `import json\nclass It:\n  def __getattr__(self, name): return lambda **args: json.dumps(args)\nPerch = lambda *_: It()\nIt.robot = lambda *_: It()\n`;
    const program = `${call}${python.replace('from perch_client import Perch', '')}`;
    const said = execFileSync('python3', ['-c', program], { encoding: 'utf8', env: { ...process.env, PERCH_API_KEY: 'x' } });
    assert.deepEqual(JSON.parse(said), args);
    const script = text('typescript', 'command', args);
    const literal = /\.command\((.*)\);\nconsole/s.exec(script)![1]!;
    assert.deepEqual(evaluated(literal), args);
  });

  it('formats any JSON as JavaScript that evaluates to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const literal = /\.command\((.*)\);\nconsole/s.exec(text('typescript', 'command', { value }))![1]!;
        assert.deepEqual(JSON.parse(JSON.stringify(evaluated(literal))), JSON.parse(JSON.stringify({ value })));
      }),
      { numRuns: 200 },
    );
  });

  it('reads pictures from their files', () => {
    assert.match(text('typescript', 'show', { image: picture }), /image: await readFile\('it\\'s \$HOME\.png', 'base64'\)/);
    assert.match(text('python', 'menu', { items: [{ image: picture }] }), /Path\("it's \$HOME\.png"\)\.read_bytes\(\)/);
    assert.match(text('mcp', 'show', { image: picture }), /"<it's \$HOME\.png in base64>"/);
    assert.doesNotMatch(['curl', 'typescript', 'python', 'mcp'].map((id) => text(id, 'show', { image: picture })).join(), /iVBOR/);
  });

  it('uses method names that the clients have', () => {
    assert.match(text('typescript', 'events', { after: 5 }), /\.readEvents\(\{ after: 5 \}\)/);
    assert.match(text('typescript', 'state', {}), /\.state\(\)/);
    assert.match(text('typescript', 'stop', {}), /\.stop\(\)/);
    assert.match(text('typescript', 'scene', { actions: [{ action: 'say', text: 'x' }] }), /\.scene\(\[\{ action: 'say', text: 'x' \}\]\)/);
    assert.match(text('python', 'events', { after: 5 }), /\.read_events\(after=5\)/);
    assert.equal((JSON.parse(text('mcp', 'say', { text: 'x' })) as { params: object }).params.constructor, Object);
  });
});

function evaluated(literal: string): unknown {
  return JSON.parse(runInNewContext(`JSON.stringify(${literal})`) as string) as unknown;
}

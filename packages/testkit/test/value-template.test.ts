/** Holds the renderer of templates against Jinja: the expected texts are those of Jinja 3.1.6 on Python 3, with the same variables. */
import assert from 'node:assert/strict';
import { renderTemplate, scopeOf } from '@perch/testkit';

const scope = {
  value_json: { a: null, b: true, c: 'x', n: 3, e: {}, l: [], id: 'ring-1' },
  context: { id: '7' },
  wait: { trigger: null },
};

describe('templates of Home Assistant', () => {
  it('are rendered as Jinja renders them', () => {
    const expected: Record<string, string> = {
      '{{ value_json.a }}': 'None',
      '{{ value_json.b }}': 'True',
      '{{ value_json.missing }}': '',
      "{{ value_json.a | default('z') }}": 'None',
      "{{ value_json.missing | default('z') }}": 'z',
      "{{ value_json.missing | default('') }}": '',
      '{{ value_json.n if value_json.n is number else None }}': '3',
      '{{ value_json.c if value_json.c is number else None }}': 'None',
      '{{ value_json.b is number }}': 'True',
      "{{ value_json.e or 'empty' }}": 'empty',
      "{{ value_json.l or 'empty' }}": 'empty',
      '{{ value_json.a or value_json.c }}': 'x',
      '{{ value_json.id == context.id and value_json.b }}': 'False',
      "{{ value_json.id == 'ring-1' and value_json.n == 3 }}": 'True',
      '{{ value_json.n != 3 or value_json.b }}': 'True',
      '{{ not value_json.a }}': 'True',
      '{{ not value_json.a == None }}': 'False',
      '{{ value_json.a is none }}': 'True',
      '{{ value_json.a is not none }}': 'False',
      '{{ value_json.missing is defined }}': 'False',
      '{{ wait.trigger.payload_json }}': '',
      '{"id":"{{ context.id }}","q":"{{ value_json.c }}"}': '{"id":"7","q":"x"}',
    };
    for (const [template, text] of Object.entries(expected)) assert.equal(renderTemplate(template, scope), text, template);
  });

  it('round as Python does, a half to the even number, and refuse what is no number', () => {
    const rounded = (value: unknown): string => renderTemplate('{{ value_json.v | round(0) }}', scopeOf(JSON.stringify({ v: value })));
    assert.deepEqual([12.5, 13.5, -1.5, 12.4, -12.6].map(rounded), ['12', '14', '-2', '12', '-13']);
    assert.throws(() => rounded('x'), /round got invalid input 'x'/);
  });

  it('fail on a field of an undefined value, as Jinja does, and on a payload that is no JSON', () => {
    assert.throws(() => renderTemplate('{{ value_json.missing.x }}', scope), /undefined/);
    assert.throws(() => renderTemplate('{{ wait.trigger.payload_json.id }}', scope), /undefined/);
    assert.throws(() => renderTemplate("{{ value_json.id | default('') }}", scopeOf('no JSON')), /undefined/);
    assert.equal(renderTemplate('{{ value }}', scopeOf('no JSON')), 'no JSON');
  });

  it('throw what is not rendered here, so that a test names it', () => {
    for (const unknown of ['{% if value %}a{% endif %}', '{{ value | upper }}', '{{ now() }}', '{{ value ~ value }}', '{{ value_json }}'])
      assert.throws(() => renderTemplate(unknown, scopeOf('{"a":1}')), Error, unknown);
  });
});

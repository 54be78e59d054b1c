/**
 * The question of the approval hook (plugins/perch) about the input of a tool. Inputs are those of Claude Code 2.1 (sdk-tools.d.ts) and Codex 0.13x, and
 * those with which users of other agents approved what they had not seen; the tests name their reports.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lossOf, tidyText } from '../src/index.js';

type QuestionText = (event: unknown) => string;
const { questionText, AtTheKeyboard } = (await import(new URL('../../../plugins/perch/hooks/question-text.mjs', import.meta.url).href)) as {
  questionText: QuestionText;
  AtTheKeyboard: new () => Error;
};

const asked = (tool_name: string, tool_input: unknown): string => questionText({ tool_name, tool_input });

function isLeftToTheKeyboard(tool: unknown, input: unknown, why?: RegExp): void {
  assert.throws(
    () => questionText({ tool_name: tool, tool_input: input }),
    (error: Error) => error instanceof AtTheKeyboard && (why === undefined || why.test(error.message)),
    JSON.stringify([tool, input]),
  );
}

type Input = [tool: string, input: object];

/** Null: it is left to the keyboard. */
function questionOf([tool_name, tool_input]: Input): string | null {
  try {
    return questionText({ tool_name, tool_input });
  } catch (error) {
    assert.ok(error instanceof AtTheKeyboard, String(error));
    return null;
  }
}

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

const unmarked = (text: string): string => text.replaceAll('␣', ' ').replaceAll('⇥', '\t').replaceAll('↵\n', '\n').replaceAll(/[❰❱]/g, '');

describe('the question of the approval hook', () => {
  it('shows the command of Bash with every switch that changes what happens', () => {
    assert.equal(asked('Bash', { command: 'npm test' }), '¶ Bash: npm test');
    assert.equal(
      asked('Bash', { command: 'npm test', description: 'Run tests', timeout: 600_000, run_in_background: true, dangerouslyDisableSandbox: true }),
      '¶ Bash (without the sandbox, in the background, for at most 600 s): npm test\n¶ description: "Run tests"',
    );
    assert.equal(asked('Bash', { command: 'ls', run_in_background: false, dangerouslyDisableSandbox: false }), '¶ Bash: ls');
    assert.equal(
      asked('Bash', { command: 'ls', timeout: '5', dangerouslyDisableSandbox: 'yes', env: { PATH: '/tmp' } }),
      '¶ Bash: ls\n¶ timeout: "5"\n¶ dangerouslyDisableSandbox: "yes"\n¶ env: {"PATH":"/tmp"}',
    );
  });

  it('marks line breaks and spaces that the screen would not show as they are', () => {
    assert.equal(asked('Bash', { command: 'ls # tidy up\nrm -rf ~' }), '¶ Bash: ls # tidy up↵\nrm -rf ~');
    assert.equal(asked('Bash', { command: "sed 's/  / /'\t x " }), "¶ Bash: sed 's/␣␣/ /'⇥ x␣");
    for (const sign of '¶⁋❡⸿⹍␣⎵⌴⍽⇥↹⭾↵↲↩⏎⤶⮐❰❱❮❨⟨⟫〈《') isLeftToTheKeyboard('Bash', { command: `echo ${sign}` }, /looks like a sign of the question/);
  });

  it('shows the path and the content of a file that is written', () => {
    assert.equal(asked('Write', { file_path: '/a/b.py', content: 'if x:\n  y()\n' }), '¶ Write the file: /a/b.py\n¶ if x:↵\n␣␣y()↵\n');
    assert.equal(asked('Write', { file_path: '/a/b.py', content: '' }), '¶ Write the file (which becomes empty): /a/b.py');
    assert.equal(
      asked('NotebookEdit', { notebook_path: '/n.ipynb', cell_id: 'c1', new_source: 'print(1)', cell_type: 'code', edit_mode: 'insert' }),
      '¶ Notebook ("insert", cell "c1", as "code"): /n.ipynb\n¶ print(1)',
    );
    assert.equal(
      asked('NotebookEdit', { notebook_path: '/n.ipynb', cell_id: 'c1', new_source: '', edit_mode: 'delete' }),
      '¶ Notebook ("delete", cell "c1"): /n.ipynb',
    );
  });

  it('shows an edit as its difference with all lines that stay (anthropics/claude-code 46999), and that it is made everywhere', () => {
    assert.equal(
      asked('Edit', { file_path: '/a.js', old_string: 'a\nsafe();\nb', new_string: 'a\nevil();\nb' }),
      '¶ Edit: /a.js\n¶ = a\n¶ - safe();\n¶ + evil();\n¶ = b',
    );
    assert.equal(
      asked('Edit', { file_path: '/a.js', old_string: 'x', new_string: 'y\nz', replace_all: true }),
      '¶ Edit (everywhere in the file): /a.js\n¶ - x\n¶ + y\n¶ + z',
    );
    assert.equal(asked('Edit', { file_path: '/a.js', old_string: 'x', new_string: '' }), '¶ Edit: /a.js\n¶ - x');
    assert.equal(asked('Edit', { file_path: '/a.js', old_string: '', new_string: 'x' }), '¶ Edit: /a.js\n¶ + x');
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: 'd', replace_all: true },
    ];
    assert.equal(
      asked('MultiEdit', { file_path: '/a.js', edits }),
      '¶ Edit (2 times): /a.js\n¶ 1.\n¶ - a\n¶ + b\n¶ 2. (everywhere in the file)\n¶ - c\n¶ + d',
    );
    isLeftToTheKeyboard('Edit', { file_path: '/a.js', old_string: 'x', new_string: 'x' }, /changes nothing/);
    isLeftToTheKeyboard('MultiEdit', { file_path: '/a.js', edits: [{ old_string: 'a', new_string: 'b', run: 'rm' }] });
  });

  it('shows the whole input of any other tool (openai/codex 24823, google-gemini/gemini-cli 19168)', () => {
    assert.equal(
      asked('mcp__db__query', { command: 'list tables', sql: 'DROP TABLE users' }),
      '¶ mcp__db__query\n¶ command: "list tables"\n¶ sql: "DROP TABLE users"',
    );
    assert.equal(
      asked('WebFetch', { url: 'https://example.com/?q=1', prompt: 'Read it' }),
      '¶ WebFetch\n¶ url: "https://example.com/?q=1"\n¶ prompt: "Read it"',
    );
    assert.equal(asked('shell', { command: ['ls', '-la'], workdir: '/tmp' }), '¶ shell\n¶ command: ["ls","-la"]\n¶ workdir: "/tmp"');
    assert.equal(asked('mcp__x', JSON.parse('{"__proto__":{"a":1},"b c":"x\\ny"}')), '¶ mcp__x\n¶ __proto__: {"a":1}\n¶ "b c": "x\\ny"');
    assert.equal(asked('constructor', { on: false }), '¶ constructor\n¶ on: false');
    assert.equal(asked('Bash: ls\nx', { a: 1 }), '¶ "Bash: ls\\nx"\n¶ a: 1');
  });

  it('shows the patch of Codex, and the host for which it wants the network', () => {
    const command = '*** Begin Patch\n*** Delete File: a\n*** End Patch';
    assert.equal(asked('apply_patch', { command }), '¶ apply_patch: *** Begin Patch↵\n*** Delete File: a↵\n*** End Patch');
    assert.equal(
      asked('Bash', { command: 'npm test', description: 'network-access evil.example' }),
      '¶ Bash: npm test\n¶ description: "network-access evil.example"',
    );
  });

  it('leaves what is empty to the keyboard (Growth-Circle/cadis 435)', () => {
    for (const command of [[], [''], '', ' \n\t', null, undefined, 7, {}]) isLeftToTheKeyboard('Bash', { command });
    for (const input of [{}, { command: [] }, { a: { b: [null, ' '] } }, [], null, 'ls', undefined]) isLeftToTheKeyboard('mcp__x', input);
    isLeftToTheKeyboard('Write', { file_path: ' ', content: 'x' });
    isLeftToTheKeyboard('Write', { content: 'x' });
    for (const tool of ['', ' ', undefined, null, 7, ['Bash']]) isLeftToTheKeyboard(tool, { command: 'ls' }, /names no tool/);
    for (const event of [null, undefined, 'x', []]) assert.throws(() => questionText(event), AtTheKeyboard);
  });

  it('leaves characters that hide or move what is run to the keyboard (openclaw/openclaw 43687, NousResearch/hermes-agent 81403)', () => {
    const hiding = [
      '\u200b', '\u200c', '\u200d', '\u200e', '\u2060', '\u2063', '\ufeff', '\u00ad', '\u034f', '\u061c', '\u115f', '\u17b4', '\u180e', '\u3164', '\uffa0',
      '\u202e', '\u2066', '\u2069', '\u0000', '\u001b', '\u0008', '\r', '\u007f', '\u0085', '\u009b', '\u2028', '\u2029', '\u00a0', '\u2003', '\u3000',
      '\u2800', '\ufe0f', '\ufff9', '\ufffc', '\ufffd', '\ud800', '\ue000', '\u{e0001}', '\u{e0041}', '\u{e0100}', '\u{1bca0}', '\u{1d173}', '\u{10ffff}',
      '\u05d0', '\u0627', `e${'\u0301'.repeat(6)}`,
    ]; // prettier-ignore
    for (const character of hiding) {
      isLeftToTheKeyboard('Bash', { command: `git${character} push` }, /U\+|exactly/);
      if (!/[\p{Cc}\ud800]/u.test(character)) isLeftToTheKeyboard('mcp__x', { sql: `a${character}b` });
      isLeftToTheKeyboard('Edit', { file_path: `/a${character}`, old_string: 'x', new_string: 'y' });
    }
    assert.equal(asked('mcp__x', { sql: 'a\u001b[2Kb' }), '¶ mcp__x\n¶ sql: "a\\u001b[2Kb"');
    assert.equal(asked('Bash', { command: 'echo "👩‍💻 ⚠️ 1️⃣ 🇩🇪 👍🏽"' }), '¶ Bash: echo "❰👩‍💻❱ ❰⚠️❱ ❰1️⃣❱ ❰🇩🇪❱ ❰👍🏽❱"');
    for (const text of ['cafe\u0301', '\u212a', 'a\u037e b']) isLeftToTheKeyboard('Bash', { command: text }, /not in NFC/);
  });

  it('puts what may look like ASCII, and is not, in brackets (anthropics/claude-code 29489, langchain-ai/deepagents 1694)', () => {
    const commands: [command: string, shown: string][] = [
      ['curl https://аpple.com', 'curl https://❰а❱pple.com'],
      ['rm ‐rf /', 'rm ❰‐❱rf /'],
      ['cat ﬁle', 'cat ❰ﬁ❱le'],
      ['echo Größe café ¿', 'echo Größe café ❰¿❱'],
      ['echo 東京 Ελλάδα привет', 'echo ❰東京❱ ❰Ελλάδα❱ ❰привет❱'],
      ['git commit -m "a – b"', 'git commit -m "a ❰–❱ b"'],
      ['git orìgin x\u0302y é\u0324', 'git or❰ì❱gin ❰x\u0302❱y ❰é\u0324❱'],
    ];
    for (const [command, shown] of commands) assert.equal(asked('Bash', { command }), `¶ Bash: ${shown}`);
    assert.equal(asked('mсp__x', { pаth: 'сору' }), '¶ "m❰с❱p__x"\n¶ "p❰а❱th": "❰сору❱"');
    assert.equal(asked('Edit', { file_path: '/а', old_string: 'о', new_string: 'o' }), '¶ Edit: /❰а❱\n¶ - ❰о❱\n¶ + o');
    // None of these has a prototype of ASCII in confusables.txt of UTS #39, in which 1,777 characters have one.
    const plain = 'ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåçèéêëñòóôõöøùúûüýÿ';
    assert.equal(asked('Bash', { command: plain }), `¶ Bash: ${plain}`);
    let bracketed = 0;
    for (let code = 0x80; code < 0x1_e000; code++) {
      // Most of Han and Hangul is left out for the time that it takes.
      if (code > 0x3000 && code < 0xfb00 && code % 64 !== 0) continue;
      const character = String.fromCodePoint(code);
      const question = questionOf(['Bash', { command: `a${character}b` }]);
      if (question === null) continue;
      if (question === `¶ Bash: a${character}b`) assert.ok(plain.includes(character), `U+${code.toString(16)}`);
      else assert.ok([`¶ Bash: a❰${character}❱b`, `¶ Bash: ❰a${character}❱b`].includes(question), question);
      if (question.includes('❰')) bracketed++;
    }
    assert.ok(bracketed > 8_000, String(bracketed));
  });

  it('leaves to the keyboard what wants more than yes or no (anthropics/claude-code 15400, 74256), and numbers that it would round', () => {
    isLeftToTheKeyboard('AskUserQuestion', { questions: [{ question: 'Which?' }] });
    isLeftToTheKeyboard('ExitPlanMode', { plan: 'Do it', allowedPrompts: [{ tool: 'Bash', prompt: 'run tests' }] });
    for (const number of ['12345678901234567890', '1e999', '-0', '[-0.0]']) isLeftToTheKeyboard('mcp__x', JSON.parse(`{"id":${number}}`), /exactly/);
  });

  it('leaves a text that no service shows to the keyboard, before it is sent', () => {
    isLeftToTheKeyboard('Write', { file_path: '/a', content: 'x'.repeat(20_000) }, /too long/);
  });

  it('leaves nothing of an input out, and nothing that the screen takes from its text', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'rm', ' ', '  ', '\t', '\n', '"', '\\', '+', '- ', ':', '👍🏽', 'é', 'ß', 'а', 'о', '‐', '\u200b', '\u00a0', '↵', '❱'),
    });
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(text, tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    const shown = (tool: string, input: object): string | null => questionOf([tool, input]);
    const isWhole = (question: string): void => {
      assert.deepEqual(lossOf(question), { cut: false, altered: false });
      assert.equal(tidyText(question), question.normalize('NFC').replaceAll(/ +$/gm, '').trim());
    };
    fc.assert(
      fc.property(fc.dictionary(text, value, { maxKeys: 4 }), (input) => {
        const question = shown('mcp__x', input);
        if (question === null) return;
        isWhole(question);
        const fields = question.split('\n').slice(1);
        const read = fields.map((line) => /^¶ ([\w-]+|"(?:[^"\\]|\\.)*"): (.*)$/.exec(unmarked(line))!);
        const entries = read.map(([, name, json]) => [name!.startsWith('"') ? JSON.parse(name!) : name, JSON.parse(json!)] as const);
        assert.deepEqual(Object.fromEntries(entries), JSON.parse(JSON.stringify(input)));
      }),
    );
    fc.assert(
      fc.property(text, text, (command, content) => {
        const bash = shown('Bash', { command });
        if (bash !== null) isWhole(bash);
        if (bash !== null) assert.equal(unmarked(bash), `¶ Bash: ${command}`);
        const write = shown('Write', { file_path: '/a', content });
        if (write !== null && content !== '') assert.equal(unmarked(write), `¶ Write the file: /a\n¶ ${content}`);
      }),
    );
    fc.assert(
      fc.property(text, text, (old_string, new_string) => {
        const edit = shown('Edit', { file_path: '/a', old_string, new_string });
        if (edit === null) return;
        isWhole(edit);
        const side = (...marks: string[]): string =>
          edit
            .split('\n')
            .slice(1)
            .filter((line) => marks.includes(line.charAt(2)))
            .map((line) => unmarked(line.slice(4)))
            .join('\n');
        assert.deepEqual([side('=', '-'), side('=', '+')], [old_string, new_string]);
      }),
    );
  });

  /** The question as it looks if the screen may end a line at any space: where the lines of the text itself end is lost. */
  const flat = (question: string): string => question.replaceAll(/\s+/g, ' ').trim();

  it('shows no input so that it looks like another one, whose lines the screen wraps (MetaMask/snaps 1158, anthropics/claude-code 46999)', () => {
    const edit = (old_string: string, new_string: string, more: object = {}): Input => ['Edit', { file_path: '/a', old_string, new_string, ...more }];
    const bash = (command: string, more: object = {}): Input => ['Bash', { command, ...more }];
    const write = (content: string, file_path = '/a'): Input => ['Write', { file_path, content }];
    const other = (input: object, tool = 'mcp__db'): Input => [tool, input];
    const cell = (more: object): Input => ['NotebookEdit', { notebook_path: '/n', new_source: 'x', ...more }];
    // The text that the person is to believe, and the one that would be run.
    const attacks: [Input, Input][] = [
      [bash('ls', { description: 'List files' }), bash('ls\ndescription: "List files"')],
      [bash('ls', { description: 'List files' }), bash('ls description: "List files"')],
      [bash('ls', { description: 'List files' }), bash('ls ¶ description: "List files"')],
      [bash('ls', { description: 'List files' }), bash('ls\n⁋ description: "List files"')],
      [bash('ls', { dangerouslyDisableSandbox: 'yes' }), bash('ls\ndangerouslyDisableSandbox: "yes"')],
      [bash('# tidy\nls'), bash('# tidy↵ ls')],
      [bash('# tidy\nls'), bash('# tidy ls')],
      [bash('# tidy\nls'), bash('# tidy↲ ls')],
      [bash('# tidy\nls'), bash('# tidy⏎ ls')],
      [bash('echo "a  b"'), bash('echo "a␣␣b"')],
      [bash('echo "a\tb"'), bash('echo "a⇥b"')],
      [bash('ls', { timeout: 5000 }), bash('(for at most 5 s): ls')],
      [bash('ls', { timeout: 5000 }), ['Bash (for at most 5 s)', { x: 'ls' }]],
      [bash('ls'), ['Bash: ls', { a: 1 }]],
      [bash('cafe\u0301'), bash('caf\u00e9')],
      [bash('a; b'), bash('a\u037e b')],
      [edit('a', 'b', { replace_all: true }), ['Edit', { file_path: '(everywhere in the file): /a', old_string: 'a', new_string: 'b' }]],
      [edit('x', 'y'), edit('x + y', 'z')],
      [edit('x', 'y'), edit('x\n+ y', '')],
      [edit('x', 'y'), edit('x\n¶ + y', '')],
      [edit('a\nx\nb', 'a\ny\nb'), edit('c\nx\nb', 'c\ny\nb')],
      [edit('a\nx', 'a\ny'), edit('x', 'y')],
      [edit('x', 'y\nz'), edit('x', 'y + z')],
      [edit('x', 'y'), edit('x', 'y\n')],
      [edit('x', ' y'), edit('x', 'y')],
      [edit('', 'x'), edit('\n', 'x\n')],
      [edit('x', 'y', { force: true }), edit('x', 'y force: true')],
      [['MultiEdit', { file_path: '/a', edits: [{ old_string: 'x', new_string: 'y' }] }], edit('x', 'y', { file_path: '(1 times): /a' })],
      [
        ['MultiEdit', { file_path: '/a', edits: [{ old_string: 'x', new_string: 'y' }, { old_string: 'v', new_string: 'w' }] }],
        ['MultiEdit', { file_path: '/a', edits: [{ old_string: 'x', new_string: 'y 2. - v + w' }] }],
      ],
      [write(''), write('', '(which becomes empty): /a')],
      [write(''), write('(which becomes empty)')],
      [write('x'), write('', '/a x')],
      [write('x', '/a'), write('y', '/a\nx')],
      [write('a\n\n\nb'), write('a\n\nb')],
      [write('x\n'), write('x')],
      [cell({ cell_id: 'c', edit_mode: 'delete' }), cell({ cell_id: 'c", "delete', edit_mode: 'delete' })],
      [cell({ edit_mode: 'delete' }), cell({ notebook_path: '("delete"): /n' })],
      [other({ a: 'x', b: 'y' }), other({ a: 'x"\nb: "y' })],
      [other({ a: 'x', b: 'y' }), other({ 'a: "x"\n¶ b': 'y' })],
      [other({ a: 1 }), other({ a: '1' })],
      [other({ a: [1, 2] }), other({ a: '[1,2]' })],
      [other({ a: { b: 1 } }), other({ a: '{"b":1}' })],
      [other({ a: null }), other({ a: 'null' })],
      [other({ a: '\\n' }), other({ a: '\n' })],
      [other({ a: '' , b: 1 }), other({ b: 1 })],
      [other({ a: 1 }, 'mcp__db'), other({ 'mcp__db\na': 1 }, 'mcp__db')],
      [['apply_patch', { command: '*** Begin Patch\n*** End Patch' }], ['apply_patch', { command: '*** Begin Patch *** End Patch' }]],
      [other({ a: 1 }, 'Edit'), edit('x', 'y')],
    ]; // prettier-ignore
    assert.ok(attacks.length >= 30);
    for (const [believed, run] of attacks) {
      const [seen, attack] = [believed, run].map((input) => questionOf(input));
      assert.ok(attack === null || seen === null || flat(seen!) !== flat(attack!), JSON.stringify(run));
    }
  });

  it('has another question for every other input, and begins each line of its own with a sign that no input can bring', () => {
    const texts = [
      '', 'a', 'b', ' a', 'a ', 'a  a', '\ta', 'a\n', '\na', 'a\nb', 'a\n\nb', 'a b', '+ a', '- a', '= a', 'a\n+ b', 'a + b', '1.', '"a"', '\\n',
      'a: "b"', 'b: a', 'Bash: a', '(which becomes empty)', '(everywhere in the file): a', '¶ a', 'a↵', '👍🏽', 'é', 'e\u0301',
    ]; // prettier-ignore
    const values = [...texts, 0, 1, '1', true, 'true', null, 'null', [], ['a', 'b'], ['a,b'], '["a"]', { a: 'b' }, '{"a":"b"}', [[]], [{}], {}];
    const few = texts.slice(0, 14);
    const each = <T>(items: readonly T[]): T[][] => items.flatMap((a) => items.map((b) => [a, b]));
    const switches = [{}, { replace_all: true }, { replace_all: 'true' }];
    const edits = each(few).map(([old_string, new_string]) => ({ old_string, new_string }));
    const inputs: Input[] = [
      ...each(texts).flatMap(([command, description]): Input[] => [
        ['Bash', { command }],
        ['Bash', { command, description }],
        ['Bash', { command, timeout: 1000, run_in_background: true }],
        ['apply_patch', { command, description }],
        ['Write', { file_path: command, content: description }],
        ['NotebookEdit', { notebook_path: '/n', new_source: command, cell_id: description }],
        ['NotebookEdit', { notebook_path: command, new_source: 'a', edit_mode: description }],
        [command!, { a: description }],
        ['mcp__x', { [command!]: 'a', a: description }],
      ]),
      ...edits.flatMap((edit) => switches.flatMap((more): Input[] => few.map((file_path) => ['Edit', { file_path, ...edit, ...more }]))),
      ...edits.slice(0, 60).flatMap((edit) => edits.slice(-20).map((next): Input => ['MultiEdit', { file_path: 'a', edits: [edit, next] }])),
      ...edits.map((edit): Input => ['MultiEdit', { file_path: 'a', edits: [edit] }]),
      ...each(values).flatMap(([a, b]): Input[] => [
        ['mcp__x', { a, b }],
        ['mcp__x', { a: { a, b } }],
        ['mcp__x', { a: [a, b] }],
      ]),
    ];
    const found = new Map<string, string>();
    let count = 0;
    for (const input of inputs) {
      const question = questionOf(input);
      if (question === null) continue;
      count++;
      const lines = question.split('\n');
      lines.forEach((line, i) => assert.equal(line.startsWith('¶ '), i === 0 || !lines[i - 1]!.endsWith('↵'), question));
      assert.equal(question.split('¶').length - 1, lines.filter((line) => line.startsWith('¶ ')).length, question);
      const sorted = JSON.stringify(input, (_, value: unknown) => (isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted()) : value));
      const before = found.get(flat(question));
      assert.ok(before === undefined || before === sorted, `${before} and ${sorted} are both: ${question}`);
      found.set(flat(question), sorted);
    }
    assert.ok(count > 10_000, String(count));
  });
});

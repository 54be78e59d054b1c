import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runProgram } from '@perch/cli';
import { skipTest } from '@perch/testkit';

const run = promisify(execFile);

/** Returns the completions that a shell offers after `line`. `SCRIPT` is the file with the completion. */
const shells = {
  bash: `
    source "$SCRIPT"
    read -ra COMP_WORDS <<< "$LINE"; [[ $LINE == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _perch; printf '%s\\n' "\${COMPREPLY[@]}"`,
  fish: 'source "$SCRIPT"; complete --do-complete "$LINE" | string replace -r "\\t.*" ""; true',
};

describe('perch completion', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perch-completion-'));
    await writeFile(join(folder, 'photo.jpg'), '');
  });
  after(() => rm(folder, { recursive: true }));

  async function script(shell: string): Promise<string> {
    let out = '';
    assert.equal(await runProgram(['completion', shell], { environment: {}, out: (text) => (out += text), err: assert.fail }), 0);
    const file = join(folder, `script.${shell}`);
    await writeFile(file, out);
    return file;
  }

  for (const [shell, program] of Object.entries(shells)) {
    it(`offers commands, flags, choices and files in ${shell}`, async function () {
      await run(shell, ['--version']).catch(() => skipTest(this, `there is no ${shell} on PATH`));
      const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, SCRIPT: await script(shell) };
      const offered = async (line: string): Promise<string[]> => {
        const { stdout, stderr } = await run(shell, ['-c', program], { cwd: folder, env: { ...env, LINE: line } });
        assert.equal(stderr, '');
        return stdout.split('\n').filter((word) => word !== '');
      };
      assert.deepEqual(await offered('perch cli'), ['clickmap']);
      assert.ok((await offered('perch ')).includes('completion'));
      assert.deepEqual((await offered('perch account ')).filter((word) => !word.startsWith('-')).toSorted(), [
        'add',
        'export',
        'limits',
        'link',
        'list',
        'password',
        'remove',
        'sign-out',
      ]);
      assert.deepEqual(await offered('perch ask --timeout'), ['--timeout-s']);
      assert.deepEqual(await offered('perch key add --acc'), ['--account']);
      assert.deepEqual(await offered('perch face --emotion ha'), ['happy']);
      assert.deepEqual(await offered('perch face ang'), ['angry']);
      assert.deepEqual(await offered('perch show --image pho'), ['photo.jpg']);
      assert.deepEqual(await offered('perch completion z'), ['zsh']);
    });
  }

  it('completes files in bash only after a flag that takes one', async function () {
    await run('bash', ['--version']).catch(() => skipTest(this, 'there is no bash on PATH'));
    const env = { ...process.env, SCRIPT: await script('bash') };
    const { stdout } = await run('bash', ['-c', 'source "$SCRIPT"; complete -p perch'], { env });
    assert.equal(stdout, 'complete -F _perch perch\n');
  });

  it('prints a script that zsh accepts', async function () {
    await run('zsh', ['--version']).catch(() => skipTest(this, 'there is no zsh on PATH'));
    const env = { ...process.env, HOME: folder, ZDOTDIR: folder, SCRIPT: await script('zsh') };
    const program = 'autoload -Uz compinit && compinit -u -D && source "$SCRIPT" && print -r -- "$_comps[perch] $+functions[_perch]"';
    const { stdout, stderr } = await run('zsh', ['-f', '-c', program], { env });
    assert.deepEqual([stdout.trim(), stderr], ['_perch 1', '']);
  });

  it('rejects other shells', async () => {
    let err = '';
    assert.equal(await runProgram(['completion', 'csh'], { environment: {}, out: assert.fail, err: (text) => (err += text) }), 64);
    assert.match(err, /bash, zsh, fish/);
  });
});

import { Argument, Command } from 'commander';
import type { Session } from './session.js';

/** Generates the completion scripts of the shells. They run no program on completion. */

interface Flag {
  name: string;
  description: string;
  takes: 'nothing' | 'value' | 'file';
  choices: readonly string[];
}

interface CommandLine {
  /** Words after `perch`. */
  path: string;
  description: string;
  children: readonly string[];
  /** Values of the first argument, if it is an enum. */
  choices: readonly string[];
  flags: readonly Flag[];
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

function bashScript(lines: readonly CommandLine[]): string {
  const values = lines.flatMap(({ path, flags }) =>
    flags
      .filter(({ takes }) => takes !== 'nothing')
      .map(({ name, takes, choices }) => {
        const words = takes === 'file' ? 'compgen -f' : `compgen -W ${quoted(choices.join(' '))}`;
        // Only for files: otherwise a command with the name of a folder would get a slash.
        const files = takes === 'file' ? 'compopt -o filenames 2>/dev/null; ' : '';
        return `    ${quoted(`${path}|${name}`)}) ${files}COMPREPLY=($(IFS=' '; ${words} -- "$cur")); return ;;`;
      }),
  );
  const words = lines.map(({ path, children, choices, flags }) => {
    const all = [...children, ...choices, ...flags.map(({ name }) => name)];
    return `    ${quoted(path)}) COMPREPLY=($(IFS=' '; compgen -W ${quoted(all.join(' '))} -- "$cur")) ;;`;
  });
  return `# bash completion of perch
_perch() {
  local cur=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command= IFS=$'\\n'
  ((COMP_CWORD > 1)) && command=\${COMP_WORDS[1]}
  case $command in
    ${groups(lines).join('|')}) ((COMP_CWORD > 2)) && command+=" \${COMP_WORDS[2]}" ;;
  esac
  COMPREPLY=()
  case "$command|$previous" in
${values.join('\n')}
  esac
  case $command in
${words.join('\n')}
  esac
}
complete -F _perch perch`;
}

function zshScript(lines: readonly CommandLine[]): string {
  const described = (path: string): string =>
    childrenOf(lines, path)
      .map(({ path: child, description }) => quoted(`${child.split(' ').at(-1)}:${description}`))
      .join(' ');
  const specs = lines
    .filter(({ children }) => children.length === 0)
    .map(({ path, choices, flags }) => {
      const of = flags.map(({ name, description, takes, choices }) => {
        const value =
          takes === 'nothing' ? '' : takes === 'file' ? ':file:_files' : `:value:${choices.length === 0 ? ' ' : `(${choices.join(' ')})`}`;
        return quoted(`*${name}[${description.replaceAll(/[[\]:\\]/g, '\\$&')}]${value}`);
      });
      const first = choices.length === 0 ? [] : [quoted(`::argument:(${choices.join(' ')})`)];
      return `    ${quoted(path)}) _arguments ${[...of, ...first].join(' ')} ;;`;
    });
  const subcommands = groups(lines).map((group) => `      ${group}) commands=(${described(group)}); _describe command commands; return ;;`);
  return `#compdef perch
_perch() {
  local -a commands
  local command=$words[2]
  if ((CURRENT == 2)); then
    commands=(${described('')})
    _describe command commands
    return
  fi
  if ((CURRENT == 3)); then
    case $command in
${subcommands.join('\n')}
    esac
  fi
  case $command in
    ${groups(lines).join('|')}) command+=" $words[3]"; shift words; ((CURRENT--)) ;;
  esac
  shift words
  ((CURRENT--))
  case $command in
${specs.join('\n')}
  esac
}
if [[ $funcstack[1] == _perch ]]; then _perch "$@"; else compdef _perch perch; fi`;
}

function fishScript(lines: readonly CommandLine[]): string {
  const out = ['# fish completion of perch', 'complete -c perch -f'];
  for (const { path, description, choices, flags } of lines) {
    if (path === '') continue;
    const [first, second] = path.split(' ');
    const siblings = second === undefined ? [] : childrenOf(lines, first!).map((child) => child.path.split(' ')[1]);
    const offered =
      second === undefined
        ? '__fish_use_subcommand'
        : `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${siblings.join(' ')}`;
    out.push(`complete -c perch -n ${quoted(offered)} -a ${second ?? first} -d ${quoted(description)}`);
    const inside = quoted(`__fish_seen_subcommand_from ${first}${second === undefined ? '' : `; and __fish_seen_subcommand_from ${second}`}`);
    if (choices.length > 0) out.push(`complete -c perch -n ${inside} -a ${quoted(choices.join(' '))}`);
    for (const { name, description, takes, choices } of flags) {
      const value = takes === 'nothing' ? '' : takes === 'file' ? ' -r -F' : choices.length === 0 ? ' -x' : ` -x -a ${quoted(choices.join(' '))}`;
      out.push(`complete -c perch -n ${inside} -l ${name.slice(2)}${value} -d ${quoted(description)}`);
    }
  }
  return out.join('\n');
}

function groups(lines: readonly CommandLine[]): string[] {
  return lines.filter(({ path, children }) => path !== '' && children.length > 0).map(({ path }) => path);
}

function childrenOf(lines: readonly CommandLine[], path: string): CommandLine[] {
  const depth = path === '' ? 1 : 2;
  return lines.filter((line) => line.path !== '' && line.path.split(' ').length === depth && (path === '' || line.path.startsWith(`${path} `)));
}

/** Quotes for all three shells, without any expansion. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const shells = Object.keys(scripts) as (keyof typeof scripts)[];

const howTo = `
Examples:
  $ source <(perch completion bash)                                    in ~/.bashrc
  $ source <(perch completion zsh)                                     in ~/.zshrc, after compinit
  $ perch completion fish > ~/.config/fish/completions/perch.fish`;

export function completionCommand(session: Session, program: Command): Command {
  return new Command('completion')
    .description('Prints the script that completes perch in a shell.')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText('after', howTo)
    .action((shell: keyof typeof scripts) => session.print(false, {}, () => scripts[shell](commandLines(program))));
}

/** Lists the program itself (`''`) first. */
function commandLines(command: Command, path: readonly string[] = []): CommandLine[] {
  const children = command.commands.filter((child) => child.name() !== 'help');
  const own: CommandLine = {
    path: path.join(' '),
    description: firstSentence(command.description()),
    children: children.map((child) => child.name()),
    choices: command.registeredArguments[0]?.argChoices ?? [],
    flags: command.options.map(flagOf),
  };
  return [own, ...children.flatMap((child) => commandLines(child, [...path, child.name()]))];
}

function flagOf({ long, description, required, argChoices, flags }: Command['options'][number]): Flag {
  const takes = !required ? 'nothing' : flags.endsWith('<file>') ? 'file' : 'value';
  return { name: long!, description: firstSentence(description), takes, choices: argChoices ?? [] };
}

function firstSentence(text: string): string {
  return text.split(/\.(?: |$)|[;\n]/)[0]!;
}

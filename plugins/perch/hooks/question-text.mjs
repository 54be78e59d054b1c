/**
 * The question about a tool: its name and its whole input. Commands, contents of files and edits are shown as lines, everything else as JSON. Nothing of
 * the input is left out; what cannot be shown so that it reads as it is, is an error.
 *
 * A line that the hook writes begins with ¶, which no input has: every other line on the screen continues the text before it. So two inputs that do
 * different things have different questions.
 */

/** The robot does not ask: the agent asks at the keyboard. */
export class AtTheKeyboard extends Error {}

/** Tools that want more of the person than yes or no. */
const dialogs = new Set(['AskUserQuestion', 'ExitPlanMode', 'EnterPlanMode']);

/** No service shows more. */
const charsMax = 16_000;

const isText = (value) => typeof value === 'string';
const isSwitch = (value) => typeof value === 'boolean';
/** In seconds with three decimals it is still exact. */
const isTimeout = (value) => Number.isInteger(value) && value > 0 && value <= 1e9;

/** Fields that each known tool must have, fields that it can have, and the lines that show them. Any other field is shown as JSON. */
const tools = {
  Bash: {
    needs: { command: isText },
    can: { timeout: isTimeout, run_in_background: isSwitch, dangerouslyDisableSandbox: isSwitch },
    shown: ({ command, timeout, run_in_background, dangerouslyDisableSandbox }) => [
      `Bash${flags([
        dangerouslyDisableSandbox && 'without the sandbox',
        run_in_background && 'in the background',
        timeout !== undefined && `for at most ${timeout / 1000} s`,
      ])}: ${lines(required(command, 'command'))}`,
    ],
  },
  apply_patch: { needs: { command: isText }, shown: ({ command }) => [`apply_patch: ${lines(required(command, 'command'))}`] },
  Write: {
    needs: { file_path: isText, content: isText },
    shown: ({ file_path, content }) => [
      `Write the file${flags([content === '' && 'which becomes empty'])}: ${path(file_path)}`,
      ...(content === '' ? [] : [lines(content)]),
    ],
  },
  Edit: {
    needs: { file_path: isText, old_string: isText, new_string: isText },
    can: { replace_all: isSwitch },
    shown: ({ file_path, ...edit }) => [`Edit${flags([everywhere(edit)])}: ${path(file_path)}`, ...difference(edit)],
  },
  MultiEdit: {
    needs: { file_path: isText, edits: areEdits },
    shown: ({ file_path, edits }) => [
      `Edit (${edits.length} times): ${path(file_path)}`,
      ...edits.flatMap((edit, i) => [`${i + 1}.${flags([everywhere(edit)])}`, ...difference(edit)]),
    ],
  },
  NotebookEdit: {
    needs: { notebook_path: isText, new_source: isText },
    can: { cell_id: isText, cell_type: isText, edit_mode: isText },
    shown: ({ notebook_path, new_source, cell_id, cell_type, edit_mode = 'replace' }) => [
      `Notebook${flags([json(edit_mode), cell_id !== undefined && `cell ${json(cell_id)}`, cell_type !== undefined && `as ${json(cell_type)}`])}: ${path(notebook_path)}`,
      ...(new_source === '' ? [] : [lines(new_source)]),
    ],
  },
};

/** @throws {AtTheKeyboard} */
export function questionText(event) {
  const { tool_name: tool, tool_input: input } = event ?? {};
  if (!isText(tool) || tool.trim() === '') throw new AtTheKeyboard('the event names no tool');
  if (!isObject(input)) throw new AtTheKeyboard('the tool has no input');
  if (dialogs.has(tool)) throw new AtTheKeyboard(`${tool} wants more than yes or no`);
  const shown = Object.hasOwn(tools, tool) ? known(tool, input) : [named(tool), ...fields(input)];
  const text = shown.map((line) => `${lineSign} ${line}`).join('\n');
  if (text.length > charsMax) throw new AtTheKeyboard('the input is too long for the robot');
  const hidden = hiddenCharacter(text);
  if (hidden !== null) throw new AtTheKeyboard(`the input has a character that cannot be shown so that it reads as it is (${hidden})`);
  if (text !== text.normalize('NFC')) throw new AtTheKeyboard('the input has characters that look like others (it is not in NFC)');
  return text;
}

function known(tool, input) {
  const { needs, can = {}, shown } = tools[tool];
  for (const [name, fits] of Object.entries(needs)) {
    if (!fits(input[name])) throw new AtTheKeyboard(`the input of ${tool} has no ${name} that can be shown`);
  }
  const own = Object.entries(input).filter(([name, value]) => Object.hasOwn(needs, name) || (Object.hasOwn(can, name) && can[name](value)));
  const names = new Set(own.map(([name]) => name));
  const others = Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name)));
  return [...shown(Object.fromEntries(own)), ...(names.size === Object.keys(input).length ? [] : fields(others, false))];
}

/** @param mustSay whether the fields are all that is shown */
function fields(input, mustSay = true) {
  if (mustSay && !saysSomething(input)) throw new AtTheKeyboard('the input is empty');
  return Object.entries(input).map(([name, value]) => `${named(name)}: ${json(value)}`);
}

function named(name) {
  return /^[\w-]+$/.test(name) ? name : json(name);
}

function saysSomething(value) {
  if (isText(value)) return value.trim() !== '';
  return isObject(value) || Array.isArray(value) ? Object.values(value).some(saysSomething) : value !== null;
}

function required(value, name) {
  if (value.trim() === '') throw new AtTheKeyboard(`the ${name} is empty`);
  return value;
}

function flags(given) {
  const all = given.filter((flag) => isText(flag));
  return all.length === 0 ? '' : ` (${all.join(', ')})`;
}

function path(value) {
  return lines(required(value, 'path'));
}

function everywhere({ replace_all }) {
  return replace_all === true && 'everywhere in the file';
}

/** Returns all lines of an edit: those that go, come, and stay at both ends. */
function difference({ old_string, new_string }) {
  if (old_string === new_string) throw new AtTheKeyboard('the edit changes nothing');
  const [before, after] = [old_string, new_string].map((text) => (text === '' ? [] : text.split('\n')));
  const short = Math.min(before.length, after.length);
  let top = 0;
  while (top < short && before[top] === after[top]) top++;
  let bottom = 0;
  while (bottom < short - top && before.at(-1 - bottom) === after.at(-1 - bottom)) bottom++;
  const each = (mark, all, from, to) => all.slice(from, to).map((line) => `${mark} ${marked(line)}`);
  return [
    ...each('=', before, 0, top),
    ...each('-', before, top, before.length - bottom),
    ...each('+', after, top, after.length - bottom),
    ...each('=', after, after.length - bottom),
  ];
}

function areEdits(edits) {
  return Array.isArray(edits) && edits.length > 0 && edits.every(isEdit);
}

function isEdit(edit) {
  if (!isObject(edit)) return false;
  const { old_string, new_string, replace_all = false, ...others } = edit;
  return isText(old_string) && isText(new_string) && isSwitch(replace_all) && Object.keys(others).length === 0;
}

/** Begins the lines of the hook. */
const lineSign = '¶';
/** The signs of the hook, and those that look like them on a small screen. */
const signs = /[¶⁋❡⸿⹍␣⎵⌴⍽␢˽⇥↹⇤⭾⭲↵↲↩⏎⤶⮐⮨⮠❨-❵⟨-⟫〈〉〈-》⦉⦊⦑⦒⧼⧽]/u;
/**
 * Everything except ASCII and letters of Latin-1 whose marks a person sees. Others look like ASCII in some font (Cyrillic а, the hyphen U+2010, the
 * ligature ﬁ, æ in UTS #39), or nearly (ì, ạ). A combining mark stands with its letter.
 */
const besideAscii = /(?:\S\p{M}+|[^\p{ASCII}À-ÅÇ-ÏÑ-ÖØ-Ýß-åç-ëñ-öø-ýÿ])+/gu;

/** A line break of the text, unlike one that the screen makes, is marked. */
function lines(text) {
  return text.split('\n').map(marked).join('↵\n');
}

function json(value) {
  const text = JSON.stringify(value, (_, each) => {
    if (typeof each === 'number' && (Object.is(each, -0) || !(Number.isInteger(each) ? Number.isSafeInteger(each) : Number.isFinite(each))))
      throw new AtTheKeyboard('the input has a number that cannot be shown exactly');
    return each;
  });
  return marked(text);
}

/**
 * The screen joins spaces, and drops those at the ends of lines: these are marked. What may look like ASCII, and is not, stands in ❰❱.
 */
function marked(line) {
  if (signs.test(line)) throw new AtTheKeyboard('the input has a character that looks like a sign of the question');
  return line
    .replaceAll(besideAscii, '❰$&❱')
    .replaceAll('\t', '⇥')
    .replaceAll(/^ +| +$| {2,}/g, (spaces) => '␣'.repeat(spaces.length));
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Emoji contain characters that hide elsewhere. */
const emoji = /\p{RGI_Emoji}/gv;
/**
 * Controls, formats, unassigned and private characters, spaces other than U+0020, characters without ink, marks that are piled up, and letters that are
 * written from right to left, whose order on the screen is not that in which a command is read.
 */
const hiding =
  /[^\P{C}\n]|\p{Default_Ignorable_Code_Point}|[\p{Zl}\p{Zp}]|[^\P{Zs} ]|[\u2800\ufffc\ufffd]|\p{M}{5}|[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

function hiddenCharacter(text) {
  const found = hiding.exec(text.replaceAll(emoji, ''));
  return found === null ? null : `U+${found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The page of an action: what it does, its arguments, its answer, examples, and the errors that are its own. */
import { actions, compounds, type ErrorCode } from '@perch/schema';
import { fieldTable, type Schema } from './field-rows.js';
import { block, generatedNote, page, row } from './markdown.js';

export type DocumentedAction = (typeof actions | typeof compounds)[number];

/** Failures that not every action can have. */
const ownErrors: Partial<Record<DocumentedAction['name'], readonly ErrorCode[]>> = {
  show: ['bad_picture', 'image_unreachable', 'busy', 'render_failed', 'storage_full'],
  say: ['card_showing'],
  sound: ['render_failed'],
  ask: ['not_whole', 'render_failed'],
  menu: ['bad_picture', 'image_unreachable', 'busy', 'render_failed', 'storage_full'],
  clickmap: ['bad_picture', 'image_unreachable', 'busy', 'render_failed', 'storage_full'],
  command: ['command_not_passed_on', 'not_offered'],
  speak: ['speech_failed'],
  scene: ['card_showing', 'not_whole', 'bad_picture', 'image_unreachable', 'render_failed', 'speech_failed'],
};

export const documentedActions: readonly DocumentedAction[] = [...actions, ...compounds];

export function actionPage(action: DocumentedAction): string {
  const { name, summary, description, args, answer, features, waits } = action;
  return page(
    `\`${name}\``,
    [summary, description, ...(waits ? ['The call stays open until the person answers.'] : [])].filter((part) => part !== '').join(' '),
    features.length === 0
      ? null
      : `Needs a robot with ${features.map((feature) => `\`${feature}\``).join(', ')} among its features; otherwise 501 \`not_offered\`.`,
    '## Arguments',
    Object.keys(args.properties).length === 0 ? 'None; send `{}`.' : fieldTable(args as Schema),
    '## Answer',
    answerTable(answer as Schema),
    '## Examples',
    'Arguments, and the answer to them.',
    ...action.examples.map((example) => block('json', `${JSON.stringify(example.args)}\n${JSON.stringify(example.answer)}`)),
    ...ownErrorsOf(name),
  );
}

/** Texts of the answer that programs.md describes for all actions that have them. */
const noteFields: ReadonlySet<string> = new Set(['truncated', 'missing', 'adjusted']);

function answerTable(answer: Schema): string {
  const fields = Object.entries(answer.properties ?? {});
  const notes = fields.flatMap(([name]) => (noteFields.has(name) ? [`\`${name}\``] : []));
  const own = fieldTable({ ...answer, properties: Object.fromEntries(fields.filter(([name]) => !noteFields.has(name))) });
  if (notes.length === 0) return own;
  return `${own}\n${row([notes.join(', '), 'list of string', 'optional', 'What the person does not see [as it was sent](../../programs.md#texts).'])}`;
}

/** The page that lists all actions, and says what holds for each. */
export function actionsPage(): string {
  const curl = `curl -sS "$PERCH_BASE_URL/v1/robots/$PERCH_ROBOT/face" -H "Authorization: Bearer $PERCH_API_KEY" -H 'Content-Type: application/json' \\\n  -d '{"emotion":"happy"}'`;
  const rows = documentedActions.map(({ name, summary }) => row([`[\`${name}\`](${name}.md)`, summary]));
  return page(
    'Actions',
    'What a program can do with a robot: `POST /v1/robots/{robot}/<action>` with the arguments as JSON, or the tool `robot_<action>` of `/mcp` with the same arguments.',
    block('sh', curl),
    `Every action can fail with ${linked(['bad_argument', 'rate_limited', 'robot_offline', 'no_ack'])} and the other [errors](../errors.md) of any call; a page names those that not every action has.`,
    generatedNote,
    ['| action |  |', '|---|---|', ...rows].join('\n'),
  );
}

function ownErrorsOf(name: DocumentedAction['name']): string[] {
  const own = ownErrors[name];
  return own === undefined ? [] : ['## Errors', `Also ${linked(own)}.`];
}

function linked(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `[\`${code}\`](../errors.md#${code})`).join(', ');
}

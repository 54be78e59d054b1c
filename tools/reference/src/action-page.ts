/** The page of an action: what it does, its arguments, its answer, examples as `curl` commands, and the errors that are its own. */
import { actions, compounds, type ErrorCode } from '@perch/schema';
import { fieldTable, type Schema } from './field-rows.js';
import { block, page } from './markdown.js';

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
    summary,
    description === '' ? null : description,
    `\`POST /v1/robots/{robot}/${name}\`, or the tool \`robot_${name}\` of \`/mcp\` with the same arguments${waits ? '. The call stays open until the person answers' : ''}.`,
    features.length === 0
      ? null
      : `Needs a robot with ${features.map((feature) => `\`${feature}\``).join(', ')} among its features; otherwise 501 \`not_offered\`.`,
    '## Arguments',
    Object.keys(args.properties).length === 0 ? 'None; send `{}`.' : fieldTable(args as Schema),
    '## Answer',
    fieldTable(answer as Schema),
    '## Examples',
    ...action.examples.map((example) => exampleOf(name, example)),
    '## Errors',
    `Every action can fail with ${linked(['bad_argument', 'rate_limited', 'robot_offline', 'no_ack'])} and the other [errors](../errors.md) of any call.${ownErrorsOf(name)}`,
  );
}

function exampleOf(name: string, { args, answer }: DocumentedAction['examples'][number]): string {
  const body = JSON.stringify(args).replaceAll("'", `'\\''`);
  const curl = `curl -sS "$PERCH_BASE_URL/v1/robots/$PERCH_ROBOT/${name}" -H "Authorization: Bearer $PERCH_API_KEY" -H 'Content-Type: application/json' \\\n  -d '${body}'`;
  return `${block('sh', curl)}\n\n${block('json', JSON.stringify(answer, null, 2))}`;
}

function ownErrorsOf(name: DocumentedAction['name']): string {
  const own = ownErrors[name];
  return own === undefined ? '' : ` This one also with ${linked(own)}.`;
}

function linked(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `[\`${code}\`](../errors.md#${code})`).join(', ');
}

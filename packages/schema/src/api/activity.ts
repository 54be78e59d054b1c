import { Type, type Static } from 'typebox';
import { answerObject, argsObject } from '../definition/action.js';
import { nullable } from '../definition/wait.js';
import { compile } from '../validation/ajv.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { oneOf, problemError } from '../base/open-object.js';

export const activityLimits = {
  days: 30,
  callsMb: 4,
  changesMb: 1,
  limitDefault: 100,
  limitMax: 1000,
  questionCharsMax: 160,
  answerCharsMax: 80,
} as const;

/** Kinds of changes of an account. */
export const changeKinds = [
  'sign_up',
  'sign_in',
  'oidc_sign_in',
  'passkey_sign_in',
  'sign_in_link',
  'sign_out',
  'session_end',
  'password_change',
  'password_reset_request',
  'password_reset',
  'verification_send',
  'email_verify',
  'account_export',
  'account_remove',
  'passkey_add',
  'passkey_change',
  'passkey_remove',
  'key_create',
  'key_secret_roll',
  'key_overlap_end',
  'key_revoke',
  'client_connect',
  'client_disconnect',
  'robot_add',
  'pairing_approve',
  'robot_change',
  'robot_remove',
  'robot_token_renew',
  'robot_update',
  'robot_update_started',
  'robot_update_installed',
  'robot_update_failed',
  'webhook_create',
  'webhook_change',
  'webhook_secret_roll',
  'webhook_remove',
  'share_link_create',
  'share_link_remove',
  'share_accept',
  'share_change',
  'share_remove',
  'share_leave',
] as const;

export type ChangeKind = (typeof changeKinds)[number];

export const activityKinds = ['calls', 'changes'] as const;
export const activityFormats = ['csv', 'json'] as const;

const filters = {
  robot: Type.Optional(Type.String({ maxLength: 64, description: 'Only entries of this robot.' })),
  key: Type.Optional(Type.String({ maxLength: 64, description: 'Only calls with the API key of this id; page: only those of the web page.' })),
  action: Type.Optional(Type.String({ maxLength: 64, description: 'Only this action, or this kind of change.' })),
  outcome: Type.Optional(Type.String({ maxLength: 64, description: 'Only this outcome; refused: every error.' })),
  kind: Type.Optional(oneOf(activityKinds, { description: 'Only calls, or only sign-ins and changes. If omitted: both.' })),
};

const number = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

export const activityQueryArgs = argsObject({
  after: Type.Optional(number('Only entries after this number, oldest first: the last_seq of an earlier response. If omitted: the newest entries.')),
  before: Type.Optional(number('The newest entries before this number: the next_before of an earlier response.')),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: activityLimits.limitMax,
      default: activityLimits.limitDefault,
      description: `Maximum number of entries in the response; default ${activityLimits.limitDefault}, at most ${activityLimits.limitMax}.`,
    }),
  ),
  ...filters,
});

export const activityExportArgs = argsObject({ format: Type.Optional(oneOf(activityFormats, { description: 'Default: csv.' })), ...filters });

export type ActivityFilters = Static<typeof activityExportArgs>;
export type ActivityQueryArgs = Static<typeof activityQueryArgs>;

const keySchema = Type.Object({ id: Type.String(), name: Type.String() });

export const ActivityEntrySchema = Type.Object(
  {
    seq: Type.Integer({ description: 'Ascending in the order in which entries were stored, not without gaps.' }),
    at: Type.String({ format: 'date-time', description: 'When the call ended, or the change was made.' }),
    kind: oneOf(activityKinds),
    via: oneOf(['http', 'agent', 'page', 'operator'], { description: 'A program over HTTP, an agent (MCP), the web page, or an operator.' }),
    key: nullable(keySchema, 'The API key, with its name at the time; null: the web page or an operator, or a key that was revoked at once.'),
    robot: nullable(Type.String(), 'Null: none, or one that the key does not reach.'),
    action: Type.String({ description: 'The action of a call, or the kind of change: sign_in, key_create, robot_remove and so on.' }),
    outcome: Type.String({
      description:
        'ok; for questions answered, timed_out or replaced; replayed (answered from an earlier call with the same Idempotency-Key), client_closed, or the code of an error.',
    }),
    count: Type.Integer({ minimum: 1, description: 'More than 1: equal refusals within a second are one entry.' }),
    seconds: nullable(Type.Number(), 'Duration of the call, with the time that a question waited; null for changes.'),
    question: nullable(Type.String(), `The question of ask or the title of menu, up to ${activityLimits.questionCharsMax} characters.`),
    answer: nullable(Type.String(), `The answer, item or region that was tapped, up to ${activityLimits.answerCharsMax} characters.`),
    x: nullable(Type.Integer(), 'Where a clickmap was tapped.'),
    y: nullable(Type.Integer(), 'As x.'),
    tap_s: nullable(Type.Number(), 'Seconds from the question on the screen to the tap.'),
    network: nullable(Type.String(), 'Network that a change was made from.'),
    subject: nullable(Type.String(), 'Id of the key or webhook that was changed.'),
    guest: nullable(
      Type.String(),
      'E-mail address of the person with whom the robot is shared who made the call, or whose access a change concerns; null: the account itself.',
    ),
  },
  { description: 'One call of a key, or one sign-in or change of the account.' },
);

export type ActivityView = Static<typeof ActivityEntrySchema>;

const count = Type.Integer({ minimum: 0 });

export const KeyUsageSchema = Type.Object(
  {
    key: nullable(
      keySchema,
      'Null: the web page, or keys that are counted together because there are too many. The name is empty if the key was revoked.',
    ),
    calls: Type.Integer({ minimum: 0, description: 'Calls of actions and reads of robots.' }),
    refused: Type.Integer({ minimum: 0, description: 'Calls that were answered with an error.' }),
    asked: Type.Integer({ minimum: 0, description: 'Questions that were answered, timed out or were replaced.' }),
    answered: count,
    answer_rate: nullable(Type.Number({ minimum: 0, maximum: 1 }), 'answered / asked; null if nothing was asked.'),
    median_tap_s: nullable(Type.Number(), 'Median of the seconds from a question on the screen to its tap, within 8 %.'),
  },
  { description: 'Usage of one key on one day.' },
);

export type KeyUsageView = Static<typeof KeyUsageSchema>;

export const UsageDaySchema = Type.Object({
  date: Type.String({ format: 'date', description: 'Day in UTC.' }),
  keys: Type.Array(KeyUsageSchema),
});

export const activityAnswers = {
  ActivityAnswer: answerObject({
    activity: Type.Array(ActivityEntrySchema, { description: 'Ascending by seq.' }),
    last_seq: Type.Integer({ description: 'Pass it as after to read later entries.' }),
    next_before: nullable(Type.Integer(), 'Pass it as before to read earlier entries; null: there are none, or after was given.'),
  }),
  UsageAnswer: answerObject({
    days: Type.Array(UsageDaySchema, { description: 'The last 30 days, newest first, without days that have no calls.' }),
  }),
} as const;

export type ActivityAnswer = Static<typeof activityAnswers.ActivityAnswer>;
export type UsageAnswer = Static<typeof activityAnswers.UsageAnswer>;

const fitsQuery = compile(activityQueryArgs);
const fitsExport = compile(activityExportArgs);
const numbers = ['after', 'before', 'limit'] as const;
export const activityQueryNames = ['after', 'before', 'limit', 'robot', 'key', 'action', 'outcome', 'kind'] as const;
export const activityExportNames = ['format', 'robot', 'key', 'action', 'outcome', 'kind'] as const;

/** @throws {ApiError} bad_argument with `field` */
export function validateActivityQuery(query: Readonly<Record<string, string | undefined>>): ActivityQueryArgs & { limit: number } {
  const args: Record<string, unknown> = { ...query };
  for (const name of numbers) {
    const text = query[name];
    if (text === undefined) continue;
    if (!/^-?\d{1,16}$/.test(text)) throw problemError({ field: name, message: 'must be a whole number' });
    args[name] = Number(text);
  }
  if (!fitsQuery(args)) throw problemError(argumentProblem(fitsQuery.errors, args, 'activity'));
  if (args['after'] !== undefined && args['before'] !== undefined) throw problemError({ field: 'before', message: 'cannot be combined with after' });
  return { limit: activityLimits.limitDefault, ...(args as ActivityQueryArgs) };
}

/** @throws {ApiError} bad_argument with `field` */
export function validateActivityExport(query: Readonly<Record<string, string | undefined>>): ActivityFilters {
  const args: Record<string, unknown> = { ...query };
  if (!fitsExport(args)) throw problemError(argumentProblem(fitsExport.errors, args, 'activity/export'));
  return args;
}

export const activityColumns = [
  'seq',
  'at',
  'kind',
  'via',
  'key_id',
  'key_name',
  'robot',
  'action',
  'outcome',
  'count',
  'seconds',
  'question',
  'answer',
  'x',
  'y',
  'tap_s',
  'network',
  'subject',
  'guest',
] as const;

/** Returns a line of RFC 4180, with its CR LF. */
export function activityCsvLine({ key, ...entry }: ActivityView): string {
  const values: Record<string, string | number | null> = { ...entry, key_id: key?.id ?? null, key_name: key?.name ?? null };
  return csvLine(activityColumns.map((name) => values[name] ?? ''));
}

/** An apostrophe precedes a text that a spreadsheet would take for a formula: people and programs choose the texts. */
export function csvLine(values: readonly (string | number)[]): string {
  const cells = values.map((value) => {
    if (typeof value === 'number') return String(value);
    const text = /^[\s]*[=+\-@\t\r＝＋－＠]/.test(value) ? `'${value}` : value;
    return /[",\r\n;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${cells.join(',')}\r\n`;
}

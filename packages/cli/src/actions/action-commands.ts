/** `perch show|say|ask|...`: the actions over HTTP, and `perch robots`, which lists the key's robots. */
import { cutMelody, Perch, type Robot, type RobotClient, type SceneStep, type GroupOptions, type GroupResult } from '@perch/client';
import { labelsText } from '@perch/schema/plain';
import { Command, type OptionValues } from 'commander';
import { examplesText } from './action-examples.js';
import { actions } from './actions.generated.js';
import { answerText, noteLines } from './answer-text.js';
import { ArgumentFlags } from './argument-flags.js';
import { addExpectFlag, exitCodeOfExpected, requirePossible } from './expected-answer.js';
import { outcomeText, exitCodes, exitCodeOfAnswer } from '../exit-codes.js';
import { ListOutput, type ListFormat } from '../output/table.js';
import { Refused } from '../refused.js';
import { withRobotFilter, type RobotFilterOptions } from '../robots/robot-options.js';
import type { Session } from '../session.js';
import { settingsOf, type Settings } from '../settings.js';

const group = 'Robots, over HTTP:';

export function actionCommands(session: Session): Command[] {
  return [robotsCommand(session), ...actions.map((action) => actionCommand(session, action))];
}

export function robotCommand(name: string, summary: string): Command {
  return serviceCommand(name, summary).option('--robot <id>', "id of the robot (default: PERCH_ROBOT, or the key's only robot)");
}

const namedMax = 20;

/** Reads flags, environment or configuration. @throws {Refused} none selects a robot, and the key has several */
export async function robotOf(session: Session, options: OptionValues): Promise<RobotClient> {
  const settings = await settingsFrom(session, options);
  const perch = perchAt(settings);
  if (settings.robot !== undefined) return perch.robot(settings.robot);
  const { robots, next } = await perch.listRobots({ limit: namedMax });
  if (robots.length === 1) return perch.robot(robots[0]!.id);
  const more = next === null ? '' : ', and more (see perch robots)';
  throw new Refused(
    robots.length === 0
      ? 'this key has no robots'
      : `this key has ${next === null ? robots.length : `more than ${robots.length}`} robots; select one with --robot: ${robots.map(robotText).join(', ')}${more}`,
    'usage',
  );
}

function robotText({ id, name, online }: Robot): string {
  return `${id} (${[name === id ? '' : name, online ? 'online' : 'offline'].filter((word) => word !== '').join(', ')})`;
}

const waitingActions: ReadonlySet<string> = new Set(['ask', 'menu', 'clickmap']);

function actionCommand(session: Session, action: (typeof actions)[number]): Command {
  const command = robotCommand(action.name, action.summary).option('--json', 'prints the response as JSON');
  const flags = new ArgumentFlags(action);
  flags.addTo(command);
  const waits = waitingActions.has(action.name);
  if (action.name !== 'scene') addGroupFlags(command, waits);
  if (waits) addExpectFlag(command);
  if (action.name === 'sound') command.option('--cut', 'leaves out what comes after 30 s of the notes');
  if (action.name !== 'state' && action.name !== 'events') {
    command.option('--idempotency-key <text>', 'calls with the same key are executed once, however often they are sent');
  }
  return command.addHelpText('after', `\n${action.description}\n${examplesText(action.name)}`).action(async (...given: unknown[]) => {
    const options = given.at(-2) as OptionValues;
    const args = await flags.read(given.slice(0, -2), options, session);
    if (options['cut'] === true && typeof args['notes'] === 'string') args['notes'] = cutMelody(args['notes']);
    const expected = options['expect'] as string[] | undefined;
    requirePossible(expected, args);
    if (waits) session.outcomeMatters();
    if (options['group'] !== undefined) {
      const settings = await settingsFrom(session, { ...options, robot: undefined });
      return callGroup(session, perchAt(settings), action.name, args, options);
    }
    const robot = await robotOf(session, options);
    const answer = await call(robot, action.name, args, options['idempotencyKey'] as string | undefined);
    session.print(options['json'] === true, answer, (printable) => answerText(action.name, printable));
    for (const line of noteLines(answer)) session.warn(line);
    session.exitCode = exitCodeOfExpected(answer, expected);
    const said = waits && session.isTerminal ? outcomeText(session.exitCode) : null;
    if (said !== null) session.warn(said);
  });
}

function call(robot: RobotClient, name: string, args: Record<string, unknown>, idempotencyKey: string | undefined): Promise<object> {
  const options = { idempotencyKey };
  switch (name) {
    case 'state':
      return robot.state();
    case 'events':
      return robot.readEvents(args);
    case 'stop':
      return robot.stop(options);
    case 'scene':
      return robot.scene((args['actions'] ?? []) as SceneStep[], options);
    default:
      return (robot as unknown as Record<string, (args: object, options: object) => Promise<object>>)[name]!(args, options);
  }
}

const listFormat: ListFormat<Robot> = {
  field: 'robots',
  heads: ['ROBOT', 'NAME', 'NOW', 'MODEL', 'FIRMWARE', 'LABELS'],
  row: ({ id, name, online, model, firmware, labels }) => [
    id,
    name,
    online ? 'online' : 'offline',
    model || '-',
    firmware || '-',
    // A service before 0.10.0 sends no labels.
    labelsText(labels ?? {}),
  ],
  none: 'No robots.',
};
const sliceLimit = 500;

function robotsCommand(session: Session): Command {
  const command = serviceCommand('robots', "List the key's robots, ascending by id.").option('--json', 'prints {"robots"}');
  return withRobotFilter(command).action(async ({ json, online, firmware, label, limit, ...options }: OptionValues & RobotFilterOptions) => {
    const perch = perchAt(await settingsFrom(session, options));
    const output = new ListOutput<Robot>(session, json === true, listFormat);
    let left = limit ?? Infinity;
    let after: string | undefined;
    do {
      const { robots, next } = await perch.listRobots({ limit: Math.min(left, sliceLimit), after, online, firmware, label });
      const wanted = robots.slice(0, left);
      output.add(wanted);
      left -= wanted.length;
      after = next ?? undefined;
    } while (after !== undefined && left > 0);
    output.end();
  });
}

export function serviceCommand(name: string, summary: string): Command {
  return new Command(name)
    .helpGroup(group)
    .description(summary)
    .option('--base-url <url>', 'URL of the service (default: PERCH_BASE_URL, or http://127.0.0.1:8080)')
    .option('--api-key <key>', 'API key; better in PERCH_API_KEY or the configuration file, because process lists show flags');
}

export function settingsFrom(session: Session, { baseUrl, apiKey, robot }: OptionValues): Promise<Settings> {
  return settingsOf({ base_url: baseUrl as string, api_key: apiKey as string, robot: robot as string }, session.environment);
}

export function perchAt({ baseUrl, apiKey, named }: Settings): Perch {
  try {
    return new Perch({ baseUrl, apiKey });
  } catch (error) {
    const sentence = (error as Error).message.replace(/^(baseUrl|apiKey)\b/, (_, name: keyof typeof named) => named[name]);
    throw new Refused(sentence, 'usage');
  }
}

type Result = GroupResult<'state' | 'ask'>;

/** Adds `--group`: one action on every robot with a label. @param waits whether the action waits for a person */
function addGroupFlags(command: Command, waits: boolean): void {
  command.option('--group <label>', 'acts on every robot with the label, such as room=r7, or with all on every robot of the key');
  if (waits) command.option('--first', 'with --group: ends with the first answer, which removes the questions of the other robots');
}

/** @throws {Refused} wrong flags */
async function callGroup(session: Session, perch: Perch, name: string, args: Record<string, unknown>, options: OptionValues): Promise<void> {
  const { group, robot, idempotencyKey } = options as Record<string, string | undefined>;
  if (robot !== undefined) throw new Refused('--group cannot be combined with --robot', 'usage');
  const expected = options['expect'] as string[] | undefined;
  if (expected !== undefined && options['first'] !== true)
    throw new Refused('--expect with --group needs --first: the first answer alone decides', 'usage');
  const callOptions: GroupOptions = { idempotencyKey, answers: options['first'] === true ? 'first' : undefined };
  const answer = (await perch.group(group!).act(name as 'ask', args as never, callOptions)) as unknown as Result;
  session.print(options['json'] === true, answer, (printable) => linesOf(name, printable));
  for (const each of answer.robots) for (const line of noteLines(each)) session.warn(`${each.robot}: ${line}`);
  session.exitCode = exitCodeOfGroup(answer, expected);
}

function linesOf(name: string, { robots }: Result): string {
  return robots
    .map((each) => {
      const { robot, ...answer } = each;
      return `${robot} ${answer.ok ? textOf(name, answer) : ['failed:', answer.error, answer.next ?? []].flat().join(' ')}`.trimEnd();
    })
    .join('\n');
}

function textOf(name: string, answer: object): string {
  const { outcome } = answer as { outcome?: string };
  return outcome === undefined || outcome === 'answered' ? answerText(name, answer) : outcome;
}

/** A question is answered if any robot was answered; an action failed if it failed on any robot. */
function exitCodeOfGroup({ robots, failed }: Result, expected: readonly string[] | undefined): number {
  const outcomes = robots.filter((each) => 'outcome' in each);
  const answered = outcomes.find((each) => 'outcome' in each && each.outcome === 'answered');
  if (answered !== undefined) return exitCodeOfExpected(answered, expected);
  if (failed > 0) return exitCodes.failed.code;
  return outcomes.length === 0 ? exitCodes.done.code : exitCodeOfAnswer(outcomes[0]!);
}

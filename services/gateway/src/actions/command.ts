import { ApiError, isObject, limits, pictureArguments, validateCommandArgs, type DeclaredCommand, type RobotCommand } from '@perch/schema';
import { fittedScene } from '@perch/screen';
import type { RobotRecord } from '@perch/store';
import type { SentOptions } from '../media/media-maker.js';
import type { Call } from '../calls/call.js';
import { commandMediaMs } from '../calls/service-time.js';
import type { CachedRobot } from '../robots/robot-directory.js';
import type { Action, ActionServices } from './action.js';

type Args = Record<string, unknown>;

/** Maximum size of the arguments: a text frame without the rest of the command. */
const argsBytesMax = limits.link.textBytesMax - 1024;

export const createCommand =
  ({ commands, directory, media }: Pick<ActionServices, 'commands' | 'directory' | 'media'>): Action<'command'> =>
  async (call, { command: name, args }) => {
    requireOwner(call, name);
    // Reject wrong arguments even while the robot is away, if its declaration is known.
    const known = await directory.find(call.robot);
    if (known !== null) {
      try {
        check(known.record, name, args);
      } catch (error) {
        // A stale cache entry must not reject a call: the robot may have reconnected with other commands.
        const current = await directory.read(call.robot);
        if (current === null || current.lease.session === known.lease.session) throw error;
        check(current.record, name, args);
      }
    }
    const { result } = await commands.send(call, {
      needs: [],
      command: (robot, signal) => robotCommand(robot, name, args, media, { ttlMs: commandMediaMs, signal, span: call.span, time: call.time }),
    });
    return { result };
  };

/**
 * The settings of a shared robot stay its owner's, and a calibration is one: it decides how far the servos are driven.
 * @throws {ApiError} scope_missing
 */
export function requireOwner({ guest }: Pick<Call, 'guest'>, name: string): void {
  if (guest === null || !/calibrat/i.test(name)) return;
  throw new ApiError('scope_missing', `${name} changes what the robot keeps for good. Ask its owner to send it.`, { field: 'command' });
}

/** @returns null if it is not declared @throws {ApiError} command_not_passed_on, bad_argument */
function check(record: RobotRecord, name: string, args: Args): DeclaredCommand | null {
  const declared = (record.hello.commands as DeclaredCommand[]).find((each) => each.name === name);
  if (declared === undefined) return null;
  if (declared.class !== 'program') {
    throw new ApiError('command_not_passed_on', `${name} is a system command of the robot and is never passed on.`, { field: 'command' });
  }
  validateCommandArgs(declared, args);
  return declared;
}

/** @throws {ApiError} not_offered, then as `check` */
export function declaredCommand(record: RobotRecord, name: string, args: Args): DeclaredCommand {
  const declared = check(record, name, args);
  if (declared !== null) return declared;
  throw new ApiError('not_offered', `This robot has no command ${JSON.stringify(name)}. Its state lists the ones it has.`, { field: 'command' });
}

/** @throws {ApiError} as `declaredCommand`, then bad_picture */
async function robotCommand(
  robot: CachedRobot,
  name: string,
  args: Args,
  media: ActionServices['media'],
  options: SentOptions,
): Promise<RobotCommand> {
  const declared = declaredCommand(robot.record, name, args);
  const sent = pictureArguments(declared).flatMap(({ path, maxW, maxH }) => {
    const value = valueAt(args, path);
    return value === undefined ? [] : [{ path, maxW, maxH, value }];
  });
  const bare = sent.reduce((rest, { path }) => without(rest, path), args);
  if (Buffer.byteLength(JSON.stringify(bare)) > argsBytesMax) {
    throw new ApiError('bad_argument', `args: at most ${argsBytesMax} bytes, not counting pictures`, { field: 'args' });
  }
  const attachments = await Promise.all(
    sent.map(async ({ path, maxW, maxH, value }) => {
      const field = ['args', ...path].join('.');
      if (typeof value !== 'string') throw new ApiError('bad_argument', `${field}: must be a picture in base64`, { field });
      return {
        path: ['args', ...path],
        picture: await media.drawSent(robot, [{ field, text: value }], ([upload]) => fittedScene(upload!, maxW, maxH), options),
      };
    }),
  );
  const command = { name: 'robot', args: { command: name, args: bare } };
  return attachments.length === 0 ? command : { ...command, attachments };
}

function valueAt(args: Args, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), args);
}

function without(args: Args, [key, ...rest]: readonly string[]): Args {
  if (key === undefined) return args;
  const { [key]: inner, ...others } = args;
  return rest.length === 0 || !isObject(inner) ? others : { ...others, [key]: without(inner, rest) };
}

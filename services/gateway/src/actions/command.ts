/** command: one of the robot's own commands, if it declared it for programs; pictures among its arguments travel as attachments. */
import { ApiError, limits, pictureArguments, validateCommandArgs, type DeclaredCommand, type RobotCommand } from '@perch/schema';
import { fittedScene } from '@perch/screen';
import type { RobotRecord } from '@perch/store';
import type { Making, MediaMaker } from '../media/media-maker.js';
import { commandMediaMs } from '../robots/robot-commands.js';
import type { KnownRobot } from '../robots/robot-directory.js';
import type { ActionHandler } from './index.js';

type Args = Record<string, unknown>;

/** What is left of a text frame for the arguments, beside the command around them. */
const argsBytesMax = limits.link.textBytesMax - 1024;

export const command: ActionHandler<'command'> = async (call, { command: name, args }) => {
  const { commands, directory, media } = call.tools;
  // Wrong arguments are wrong while the robot is away too, as far as it has said what it takes.
  const known = await directory.find(call.robot);
  if (known !== null) {
    try {
      check(known.record, name, args);
    } catch (error) {
      // What was remembered must not refuse anybody: the robot may have come back with other commands.
      const now = await directory.read(call.robot);
      if (now === null || now.lease.session === known.lease.session) throw error;
      check(now.record, name, args);
    }
  }
  const { result } = await commands.send(call, {
    needs: [],
    command: (robot, signal) => robotCommand(robot, name, args, media, { ttlMs: commandMediaMs, signal, span: call.span }),
  });
  return { result };
};

/** @throws {ApiError} command_not_passed_on, bad_argument; nothing is said of a command that was not declared */
function check(record: RobotRecord, name: string, args: Args): DeclaredCommand | null {
  const declared = (record.hello.commands as DeclaredCommand[]).find((each) => each.name === name);
  if (declared === undefined) return null;
  if (declared.class !== 'program') {
    throw new ApiError('command_not_passed_on', `${name} is a command of the robot's system and is never passed on.`, { field: 'command' });
  }
  validateCommandArgs(declared, args);
  return declared;
}

/** What the robot declared of the command. @throws {ApiError} not_offered, then as `check` */
export function declaredCommand(record: RobotRecord, name: string, args: Args): DeclaredCommand {
  const declared = check(record, name, args);
  if (declared !== null) return declared;
  throw new ApiError('not_offered', `This robot has no command ${JSON.stringify(name)}. Its state lists the ones it has.`, { field: 'command' });
}

/** @throws {ApiError} as `declaredCommand`, then bad_picture */
async function robotCommand(robot: KnownRobot, name: string, args: Args, media: MediaMaker, making: Making): Promise<RobotCommand> {
  const declared = declaredCommand(robot.record, name, args);
  const sent = pictureArguments(declared).flatMap(({ path, maxW, maxH }) => {
    const value = valueAt(args, path);
    return value === undefined ? [] : [{ path, maxW, maxH, value }];
  });
  const bare = sent.reduce((rest, { path }) => without(rest, path), args);
  if (Buffer.byteLength(JSON.stringify(bare)) > argsBytesMax) {
    throw new ApiError('bad_argument', `args: at most ${argsBytesMax} bytes, pictures set aside`, { field: 'args' });
  }
  const attachments = await Promise.all(
    sent.map(async ({ path, maxW, maxH, value }) => {
      const field = ['args', ...path].join('.');
      if (typeof value !== 'string') throw new ApiError('bad_argument', `${field}: must be a picture in base64`, { field });
      return {
        path: ['args', ...path],
        picture: await media.drawSent(robot, [{ field, base64: value }], ([upload]) => fittedScene(upload!, maxW, maxH), making),
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

function isObject(value: unknown): value is Args {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

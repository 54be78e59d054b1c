import { ApiError } from '@perch/schema';

/** Ignores other arguments. @param query without the `?` @throws {ApiError} bad_argument for an argument given more than once */
export function queryArguments(query: string, names: readonly string[]): Record<string, string> {
  const args: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (!names.includes(name)) continue;
    if (Object.hasOwn(args, name)) throw new ApiError('bad_argument', `${name}: given more than once`, { field: name });
    args[name] = value;
  }
  return args;
}

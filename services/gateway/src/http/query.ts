import { ApiError } from '@perch/schema';

/**
 * Ignores other arguments.
 * @param query without the `?` @param lists those of `names` whose values are joined with commas when given more than once, as many programs send a list
 * @throws {ApiError} bad_argument for another argument given more than once
 */
export function queryArguments(query: string, names: readonly string[], lists: readonly string[] = []): Record<string, string> {
  const args: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (!names.includes(name)) continue;
    if (Object.hasOwn(args, name) && lists.includes(name)) args[name] += `,${value}`;
    else if (Object.hasOwn(args, name)) throw new ApiError('bad_argument', `${name}: given more than once`, { field: name });
    else args[name] = value;
  }
  return args;
}

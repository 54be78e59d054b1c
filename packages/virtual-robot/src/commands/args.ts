/** Each function returns the value or throws a Nack. */

import type { Fields, NackCode } from '../connection/messages.js';

export class Nack extends Error {
  readonly code: NackCode;

  constructor(code: NackCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function badArgs(message: string): Nack {
  return new Nack('bad_args', message);
}

export function textArg(args: Fields, name: string, charsMax = 4096): string {
  const value = args[name];
  if (typeof value !== 'string') throw badArgs(`${name}: a string`);
  if ([...value].length > charsMax) throw badArgs(`${name}: at most ${charsMax} characters`);
  return value;
}

export function numberArg(args: Fields, name: string, min: number, max: number): number {
  const value = args[name];
  if (typeof value !== 'number' || !(value >= min && value <= max)) throw badArgs(`${name}: a number from ${min} to ${max}`);
  return value;
}

export function integerArg(args: Fields, name: string, min: number, max: number): number {
  const value = numberArg(args, name, min, max);
  if (!Number.isInteger(value)) throw badArgs(`${name}: an integer`);
  return value;
}

export function boolArg(args: Fields, name: string): boolean {
  const value = args[name];
  if (typeof value !== 'boolean') throw badArgs(`${name}: true or false`);
  return value;
}

export function choiceArg<T extends string>(args: Fields, name: string, choices: readonly T[]): T {
  const value = args[name];
  if (!choices.includes(value as T)) throw badArgs(`${name}: one of ${choices.join(', ')}`);
  return value as T;
}

export function colorArg(value: unknown, name: string): string {
  if (typeof value !== 'string' || !/^#[0-9a-f]{6}$/i.test(value)) throw badArgs(`${name}: #rrggbb`);
  return value.toLowerCase();
}

export function optional<T>(args: Fields, name: string, read: () => T): T | undefined {
  return args[name] === undefined ? undefined : read();
}

/** Encoded in two ways: JSON text for the fast path and an object for the SDK. */
import type { ApiError, Tool } from '@perch/schema';
import { failureBody } from '../http/errors.js';
import { type Era, resultMembers } from './message.js';
import { nextSteps } from './next-steps.js';

export interface Image {
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface ToolResult {
  /**
   * As over HTTP; errors also have `next`, advice to the agent. `untrusted_input` names fields with text from third parties, those of a failure among
   * them (`error`, `field`), and `image`, the picture beside the answer. `arguments_read` names arguments that were sent as a text.
   */
  answer: object;
  isError: boolean;
  image: Image | null;
}

/** @param quoted fields of failures in the answer that quote third parties */
export function succeeded(tool: Pick<Tool, 'untrusted'>, answer: object, image: Image | null = null, quoted: readonly string[] = []): ToolResult {
  return { answer: marked(tool, answer, [...quoted, ...(image === null ? [] : ['image'])]), isError: false, image };
}

function marked({ untrusted }: Pick<Tool, 'untrusted'>, answer: object, more: readonly string[]): object {
  const held = [...untrusted.filter((path) => holds(answer, path.split('[].'))), ...more];
  return held.length === 0 ? answer : { ...answer, untrusted_input: held };
}

/** Returns whether a body has the field. @param path of `events[].data`: it matches if any entry of the list has the field */
function holds(answer: unknown, [name, ...inner]: readonly string[]): boolean {
  if (typeof answer !== 'object' || answer === null || !Object.hasOwn(answer, name!)) return false;
  const value = (answer as Record<string, unknown>)[name!];
  return inner.length === 0 || (Array.isArray(value) && value.some((entry) => holds(entry, inner)));
}

export function failed(tool: Pick<Tool, 'untrusted'>, error: ApiError, requestId: string): ToolResult {
  const { retryAfterS } = error;
  const wait = retryAfterS === undefined ? {} : { retry_after_s: Math.max(1, Math.ceil(retryAfterS)) };
  const done = error.results?.length ?? 0;
  const next = done === 0 ? nextSteps[error.code] : `${nextSteps[error.code]} Omit the actions that are done: the first ${done} of the scene.`;
  const body = { ...failureBody(error, requestId), ...wait, next };
  return { answer: marked(tool, body, error.untrusted), isError: true, image: null };
}

/** A failure has no `structuredContent`, which is the answer of the action. */
export function resultText({ answer, isError, image }: ToolResult, era: Era): string {
  const text = JSON.stringify(answer);
  const beside = image === null ? '' : `,{"type":"image","data":"${image.data}","mimeType":"${image.mimeType}"}`;
  return `{"content":[{"type":"text","text":${JSON.stringify(text)}}${beside}],${isError ? '"isError":true' : `"structuredContent":${text}`}${resultMembers[era]}}`;
}

/** Without the members that depend on the era. */
export function resultObject({ answer, isError, image }: ToolResult) {
  const text = { type: 'text' as const, text: JSON.stringify(answer) };
  const content = image === null ? [text] : [text, { type: 'image' as const, ...image }];
  return isError ? { content, isError } : { content, structuredContent: answer as Record<string, unknown> };
}

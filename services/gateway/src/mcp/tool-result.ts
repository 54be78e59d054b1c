/** Encoded in two ways: JSON text for the fast path and an object for the SDK. */
import type { ApiError, Tool } from '@perch/schema';
import { failureBody } from '../http/errors.js';
import type { Era } from './message.js';
import { nextSteps } from './next-steps.js';
import { resultMembers } from './server-info.js';

export interface Image {
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface ToolResult {
  /** As over HTTP; errors also have `next`, advice to the agent. `untrusted_input` names fields (or `error`) with text from third parties. */
  answer: object;
  isError: boolean;
  image: Image | null;
}

export function succeeded({ untrusted }: Pick<Tool, 'untrusted'>, answer: object, image: Image | null): ToolResult {
  const held = untrusted.filter((path) => holds(answer, path));
  return { answer: held.length === 0 ? answer : { ...answer, untrusted_input: held }, isError: false, image };
}

/** Whether a body has the field. @param path such as `events[].data`, which matches if any entry of the list has the field */
function holds(answer: object, path: string): boolean {
  const [list, field] = path.split('[].');
  const value: unknown = (answer as Record<string, unknown>)[list!];
  if (field === undefined) return value !== undefined;
  return Array.isArray(value) && value.some((entry) => typeof entry === 'object' && entry !== null && field in entry);
}

export function failed(error: ApiError, requestId: string): ToolResult {
  const { retryAfterS } = error;
  const wait = retryAfterS === undefined ? {} : { retry_after_s: Math.max(1, Math.ceil(retryAfterS)) };
  const done = error.results?.length ?? 0;
  const next = done === 0 ? nextSteps[error.code] : `${nextSteps[error.code]} Omit the actions that are done: the first ${done} of the scene.`;
  const untrusted = error.quotesUntrusted ? { untrusted_input: ['error'] } : {};
  return { answer: { ...failureBody(error, requestId), ...wait, next, ...untrusted }, isError: true, image: null };
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

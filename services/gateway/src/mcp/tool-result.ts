/** What a tool answers, in the two shapes it travels in: as the text of a result, and as the object the SDK wants. */
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
  /** The action's answer as over HTTP, with `untrusted_input` where it holds text of others; or the failure, with what to do next and `untrusted_input` where its sentence quotes others. */
  answer: object;
  isError: boolean;
  image: Image | null;
}

export function succeeded({ untrusted }: Pick<Tool, 'untrusted'>, answer: object, image: Image | null): ToolResult {
  const held = untrusted.filter((path) => holds(answer, path));
  return { answer: held.length === 0 ? answer : { ...answer, untrusted_input: held }, isError: false, image };
}

/** Whether an answer has a field. @param path such as `events[].data`: of any entry of a list */
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
  const next = done === 0 ? nextSteps[error.code] : `${nextSteps[error.code]} Leave out what is done: the first ${done} of the scene.`;
  const untrusted = error.quotesUntrusted ? { untrusted_input: ['error'] } : {};
  return { answer: { ...failureBody(error, requestId), ...wait, next, ...untrusted }, isError: true, image: null };
}

/** As JSON. A failure has no `structuredContent`: it would not be what the output schema promises. */
export function resultText({ answer, isError, image }: ToolResult, era: Era): string {
  const text = JSON.stringify(answer);
  const beside = image === null ? '' : `,{"type":"image","data":"${image.data}","mimeType":"${image.mimeType}"}`;
  return `{"content":[{"type":"text","text":${JSON.stringify(text)}}${beside}],${isError ? '"isError":true' : `"structuredContent":${text}`}${resultMembers[era]}}`;
}

/** The same without what an era adds. */
export function resultObject({ answer, isError, image }: ToolResult) {
  const text = { type: 'text' as const, text: JSON.stringify(answer) };
  const content = image === null ? [text] : [text, { type: 'image' as const, ...image }];
  return isError ? { content, isError } : { content, structuredContent: answer as Record<string, unknown> };
}

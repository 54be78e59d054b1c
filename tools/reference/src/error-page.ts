/** The page of an error: its status, what it means, why it happens, and what a program does about it. */
import { errorCodes, nextRequests, type ErrorCode } from '@perch/schema';
import { errorAdvice, repeats } from './error-advice.js';
import { block, page } from './markdown.js';

export function errorPage(code: ErrorCode): string {
  const { status, title } = errorCodes[code];
  const { cause, remedy, repeat } = errorAdvice[code];
  const example = { ok: false, error: title, code, request_id: 'gw-7k2m9q-1f', next: nextRequests[code] };
  return page(
    `\`${code}\``,
    `HTTP status ${status}. ${title}`,
    '## Why',
    cause,
    '## What to do',
    remedy,
    `Sending the call again: ${repeats[repeat]}.`,
    '## Example',
    `${block('json', JSON.stringify(example, null, 2))}\n\nThe text of \`error\` names what is wrong in the call at hand; \`field\`, where there is one, its argument.`,
  );
}

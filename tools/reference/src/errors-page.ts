/** The page of all errors: of each its status, why it happens, and what a program does about it. */
import { errorCodes, nextRequests, type ErrorCode } from '@perch/schema';
import { errorAdvice, repeats, type Repeat } from './error-advice.js';
import { block, generatedNote, page, row } from './markdown.js';

export function errorsPage(): string {
  const code = 'busy';
  const example = { ok: false, error: errorCodes[code].title, code, request_id: 'gw-7k2m9q-1f', next: nextRequests[code] };
  return page(
    'Errors',
    'A call that fails has the status of its code, and answers:',
    block('json', JSON.stringify(example)),
    'The text of `error` names what is wrong in the call at hand; `field`, where there is one, its argument. Each code below says whether the call may be sent again:',
    ['| again | |', '|---|---|', ...(Object.keys(repeats) as Repeat[]).map((repeat) => row([repeat, repeats[repeat]]))].join('\n'),
    generatedNote,
    ...(Object.keys(errorCodes) as ErrorCode[]).flatMap(sectionOf),
  );
}

function sectionOf(code: ErrorCode): string[] {
  const { cause, remedy, repeat } = errorAdvice[code];
  return [`## ${code}`, `${errorCodes[code].status}. ${cause}`, `${remedy} Again: ${repeat}.`];
}

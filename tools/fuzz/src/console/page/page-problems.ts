/** A file of the console with its security headers, or a well-formed failure; never any other file. */
import { envelopeProblem, type Answer } from '../../answer-problems.js';
import { consoleCodes } from '../console-problems.js';

const statuses = [200, 304, 400, 401, 403, 404, 405, 431];

export function pageProblem(
  method: string,
  answer: Answer,
  secret: string,
  holds: (text: string, encoding: string | undefined) => boolean,
): string | null {
  const { status, headers, text } = answer;
  const type = headers['content-type'] ?? '';
  if (headers['set-cookie'] !== undefined) return 'sets a cookie';
  if (!statuses.includes(status)) return `status ${status}`;
  if (status === 304) return fileProblem(headers, type);
  const isFile = isPageFile(answer);
  if (method === 'HEAD') return isFile ? fileProblem(headers, type) : null;
  if (!isFile) return type.startsWith('text/plain') && status === 200 ? null : envelopeProblem(answer, secret, consoleCodes);
  if (!holds(text, headers['content-encoding'])) return `a file that is none of the page: ${text.slice(0, 100)}`;
  return fileProblem(headers, type);
}

/** Only files of the console have an ETag. */
export function isPageFile({ status, headers }: Pick<Answer, 'status' | 'headers'>): boolean {
  return status === 200 && headers['etag'] !== undefined;
}

function fileProblem(headers: Answer['headers'], type: string): string | null {
  const policy = headers['content-security-policy'] ?? '';
  for (const [wanted, found] of [
    ["default-src 'none'", policy],
    ["script-src 'self';", policy],
    ["frame-ancestors 'none'", policy],
    ["base-uri 'none'", policy],
    ['nosniff', headers['x-content-type-options'] ?? ''],
    ['no-referrer', headers['referrer-policy'] ?? ''],
  ] as const) {
    if (!found.includes(wanted)) return `a file without ${wanted}: ${found.slice(0, 200)}`;
  }
  if (/evil|script>|unsafe-eval|\*|https?:/.test(policy)) return `a policy that lets somebody else in: ${policy}`;
  const kept = headers['cache-control'] ?? '';
  if (type.startsWith('text/html') && kept !== 'no-cache') return `a page that is kept: ${kept}`;
  return kept === 'no-cache' || /\bimmutable\b/.test(kept) ? null : `cache-control ${kept}`;
}

/** The served schema decides, then the URL, then the owner of the robots. */
import { isRecord } from '../generate/json.js';
import type { Urls } from '../generate/urls.js';
import { sameField, type Answer, type Failed } from '../answer-problems.js';
import { faultyFields, type ServedAction } from '../served.js';

export type WebhookVerdict =
  /** '' means no field. */
  { kind: 'refused'; fields: readonly string[] } | { kind: 'taken' } /** Taken, or refused for its address. */ | { kind: 'either' };

export function verdictOfWebhook(served: ServedAction, text: string, urls: Urls, robots: ReadonlySet<string>): WebhookVerdict {
  const body: unknown = JSON.parse(text);
  if (!isRecord(body)) return { kind: 'refused', fields: [''] };
  if (!served.fits(body)) return { kind: 'refused', fields: faultyFields(served.fits.errors) };
  const url = urls.verdictOf(String(body['url']));
  const foreignRobots = ((body['robots'] ?? []) as string[]).flatMap((robot, i) => (robots.has(robot) ? [] : [`robots[${i}]`]));
  const fields = [...(url === 'taken' ? [] : ['url']), ...foreignRobots];
  if (url === 'refused' || foreignRobots.length > 0) return { kind: 'refused', fields };
  return { kind: url === 'either' ? 'either' : 'taken' };
}

export function webhookProblem(served: ServedAction, verdict: WebhookVerdict, { status, text }: Pick<Answer, 'status' | 'text'>): string | null {
  const body = JSON.parse(text) as Failed;
  if (status === 200) {
    if (verdict.kind === 'refused') return `taken, although ${verdict.fields.join(' or ') || 'the body'} is wrong`;
    return served.answerFits(body) ? null : `an answer that does not fit its schema: ${JSON.stringify(served.answerFits.errors?.[0])}`;
  }
  const { code, field = '' } = body;
  if (code !== 'bad_argument') return `refused with ${code}`;
  const fields = verdict.kind === 'refused' ? verdict.fields : verdict.kind === 'either' ? ['url'] : [];
  if (fields.length === 0) return `refused for ${field}, although it fits`;
  return fields.some((wanted) => field === wanted || sameField(field, wanted)) ? null : `blames ${field}; it is ${fields.slice(0, 5).join(' or ')}`;
}

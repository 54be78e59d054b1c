/** A key for some robots reads only what concerns these robots, and its own usage. */
import {
  activityColumns,
  ApiError,
  activityCsvLine,
  activityExportNames,
  activityQueryNames,
  csvLine,
  validateActivityExport,
  validateActivityQuery,
  type ActivityAnswer,
  type ActivityFilters,
  type UsageAnswer,
} from '@perch/schema';
import { activityViewOf, usageViewOf, type AdmittedKey, type NumberedEntry, type Store } from '@perch/store';
import type { ActivityLog } from '../activity/activity-log.js';
import { queryArguments } from '../http/router.js';
import { streamPieces } from '../http/streamed-body.js';
import type { RestRequest, RestRoute } from './rest.js';

/** Actions of the rate limit that an export takes besides the one of each request. */
const exportCost = 9;
const exportsMax = 4;

export function activityRoutes({ activity, apiKeys, clock }: Pick<Store, 'activity' | 'apiKeys' | 'clock'>, log: ActivityLog): RestRoute[] {
  async function read({ key, query }: RestRequest): Promise<ActivityAnswer> {
    const args = validateActivityQuery(queryArguments(query, activityQueryNames));
    await log.settle(key.account);
    const { after = null, before = null, limit, kind = null } = args;
    const page = await activity.read(key.account, { after, before, limit, kind, accept: filterOf(key, args) });
    return { ok: true, activity: page.entries.map(activityViewOf), last_seq: page.lastSeq, next_before: page.nextBefore };
  }

  const sending = new Map<string, number>();

  async function download(request: RestRequest): Promise<null> {
    const { exchange, key, query, admit } = request;
    const args = validateActivityExport(queryArguments(query, activityExportNames));
    await admit(exchange, null, exportCost);
    const count = sending.get(key.account) ?? 0;
    if (count >= exportsMax) throw new ApiError('rate_limited', 'Too many exports of this account at the same time.', { retryAfterS: 1 });
    sending.set(key.account, count + 1);
    try {
      await send(request, args);
    } finally {
      const left = sending.get(key.account)! - 1;
      if (left === 0) sending.delete(key.account);
      else sending.set(key.account, left);
    }
    return null;
  }

  async function send({ exchange, key }: RestRequest, args: ActivityFilters): Promise<void> {
    const { format = 'csv', kind = null } = args;
    await log.settle(key.account);
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    exchange.setHeader('content-disposition', `attachment; filename="perch-activity-${day}.${format}"`);
    const contentType = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8';
    if (exchange.request.method === 'HEAD') return exchange.answerBytes(200, null, ['content-type', contentType, 'cache-control', 'no-store']);
    const pages = activity.all(key.account, kind, filterOf(key, args));
    const pieces = format === 'csv' ? csvOf(pages) : jsonOf(pages);
    await streamPieces(exchange, contentType, pieces);
  }

  async function usage({ key }: RestRequest): Promise<UsageAnswer> {
    await log.settle(key.account);
    const days = await activity.usage(key.account);
    const own = key.robots === '*' ? null : ((await apiKeys.named(key.account, [key.keyHash])).get(key.keyHash)?.id ?? '');
    const names = new Map((await apiKeys.list(key.account)).map(({ id, name }) => [id, name]));
    const shown = days.map(({ day, keys }) => ({
      date: day,
      keys: keys
        .filter((each) => own === null || each.key === own)
        .map((each) => usageViewOf(each, each.key.startsWith('k-') ? { id: each.key, name: names.get(each.key) ?? '' } : null)),
    }));
    return { ok: true, days: shown.filter(({ keys }) => keys.length > 0) };
  }

  const label = 'activity';
  return [
    { method: 'GET', path: 'activity', cost: 1, label, handle: read },
    { method: 'GET', path: 'activity/export', cost: 1, label, handle: download },
    { method: 'GET', path: 'activity/usage', cost: 1, label, handle: usage },
  ];
}

function filterOf(
  { robots }: Pick<AdmittedKey, 'robots'>,
  { robot, key, action, outcome }: Pick<ActivityFilters, 'robot' | 'key' | 'action' | 'outcome'>,
): (entry: Pick<NumberedEntry, 'robot' | 'key' | 'action' | 'outcome' | 'via' | 'kind'>) => boolean {
  const reached = robots === '*' ? null : new Set(robots);
  return (entry) =>
    (reached === null || (entry.kind === 'calls' && entry.robot !== undefined && reached.has(entry.robot))) &&
    (robot === undefined || entry.robot === robot) &&
    (key === undefined || (key === 'page' ? entry.via === 'page' : entry.key?.id === key)) &&
    (action === undefined || entry.action === action) &&
    (outcome === undefined || (outcome === 'refused' ? !unrefused.has(entry.outcome) : entry.outcome === outcome));
}

const unrefused: ReadonlySet<string> = new Set(['ok', 'answered', 'timed_out', 'replaced', 'replayed', 'client_closed']);

async function* csvOf(pages: AsyncGenerator<NumberedEntry[]>): AsyncGenerator<string> {
  let before = csvLine(activityColumns);
  for await (const entries of pages) {
    yield before + entries.map((entry) => activityCsvLine(activityViewOf(entry))).join('');
    before = '';
  }
  if (before !== '') yield before;
}

async function* jsonOf(pages: AsyncGenerator<NumberedEntry[]>): AsyncGenerator<string> {
  let before = '[';
  for await (const entries of pages) {
    yield before + JSON.stringify(entries.map(activityViewOf)).slice(1, -1);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

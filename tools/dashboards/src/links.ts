import { DashboardLinkBuilder, DashboardLinkType, type DashboardLink } from '@grafana/grafana-foundation-sdk/dashboard';

/** The menu on each page lists dashboards by this tag. */
export const dashboardTag = 'perch';

/** Repository root with a trailing slash, for links to runbooks. Empty: relative links. Set it in your copy, then `npx pnpm -r run generate`. */
const repositoryUrl = '';

/** Each has the name of its alert. */
export type Runbook =
  | 'PerchCallsFailing'
  | 'PerchCertificateExpiring'
  | 'PerchCommandsLate'
  | 'PerchConnectionsNearLimit'
  | 'PerchExpectationAbsent'
  | 'PerchHeartbeatsLate'
  | 'PerchInstanceDown'
  | 'PerchInstancesMissing'
  | 'PerchMediaNearlyFull'
  | 'PerchMessagesUnreadable'
  | 'PerchProbeFailing'
  | 'PerchQueueStuck'
  | 'PerchRedisCommandsRefused'
  | 'PerchRedisEvictedKeys'
  | 'PerchRedisEvicts'
  | 'PerchRedisLostWrites'
  | 'PerchRedisMemoryNearlyFull'
  | 'PerchRedisNotMaster'
  | 'PerchRedisRefusing'
  | 'PerchRedisSlow'
  | 'PerchRedisUnreachable'
  | 'PerchRobotsDropped'
  | 'PerchRobotsFewerThanUsual'
  | 'PerchRobotsLostAtOnce'
  | 'PerchServiceGone'
  | 'PerchVersionsMixed'
  | 'PerchWatchdog'
  | 'PerchWebhooksStuck';

/** By file name. */
export const pageUids = {
  overview: 'perch-overview',
  fleet: 'perch-fleet',
  robot: 'perch-robot',
  gateway: 'perch-gateway',
  'robot-link': 'perch-robot-link',
  renderer: 'perch-renderer',
  webhooks: 'perch-webhooks',
  redis: 'perch-redis',
  slo: 'perch-slo',
} as const;

export type PageName = keyof typeof pageUids;

/** The SDK puts every link into the controls menu; without a placement it is in the header. */
class HeaderLinkBuilder extends DashboardLinkBuilder {
  override build(): DashboardLink {
    const { placement: _, ...link } = super.build();
    return link;
  }
}

/** Keeps time range and data source. */
export function pageMenu(): DashboardLinkBuilder {
  return new HeaderLinkBuilder('Perch').type(DashboardLinkType.Dashboards).tags([dashboardTag]).asDropdown(true).includeVars(true).keepTime(true);
}

export function linkToPage(page: PageName, title: string): DashboardLinkBuilder {
  return new HeaderLinkBuilder(title).type(DashboardLinkType.Link).url(`/d/${pageUids[page]}?\${__all_variables}&\${__url_time_range}`);
}

export function linkToRunbook(name: Runbook): DashboardLinkBuilder {
  return new HeaderLinkBuilder(`Runbook: ${name}`).type(DashboardLinkType.Link).url(`${repositoryUrl}docs/runbooks/${name}.md`).targetBlank(true);
}

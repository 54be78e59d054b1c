/** `perch robot check --link`: the conformance run (packages/conformance), for a robot that dials an address of this computer. */
import { resolve } from 'node:path';
import type { CheckResult } from '@perch/conformance';
import type { LinkServer } from '@perch/link-server';
import { printableText } from '../output/printable.js';
import { table } from '../output/table.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';
import { outcomeTexts, writeReport } from './check-page.js';

export interface LinkCheckOptions {
  /** Such as `ws://192.168.1.20:8090`; port 0 takes a free one. */
  link: string;
  hasPerson: boolean;
  out?: string;
  json?: boolean;
}

/** How long the robot has for its first hello. */
const firstDialMs = 600_000;

export async function checkLink(session: Session, { link, hasPerson, out = 'robot-conformance', json }: LinkCheckOptions): Promise<void> {
  const [{ badgeOf, gradeRobot }, { LinkServer: Server }] = await Promise.all([import('@perch/conformance'), import('@perch/link-server')]);
  const { host, port } = addressOf(link);
  const server = new Server();
  await listening(server, link, { host, port });
  try {
    session.warn(`let the robot dial ${server.url} (any token will do, and without one it pairs); waiting for it`);
    const report = await gradeRobot(server, {
      hasPerson,
      firstDialMs,
      onCheck: ({ section, check }, result) => {
        if (result !== undefined) session.warn(`${section}: ${check}: ${outcomeTexts[result.outcome]}, ${result.detail}`);
        else if (check === 'shows a picture, and reports a touch where it is' && hasPerson) session.warn('tap the bright quarter of the screen');
      },
    }).catch((error: unknown) => {
      throw new Refused(error instanceof Error ? error.message : String(error));
    });
    const badge = badgeOf(report);
    const files = [`${resolve(session.folder, out)}.json`, `${resolve(session.folder, out)}.badge.json`] as const;
    await writeReport(files[0], `${JSON.stringify(report, null, 2)}\n`);
    await writeReport(files[1], `${JSON.stringify(badge, null, 2)}\n`);
    session.print(json, { ok: !badge.isError, files, badge, ...report }, ({ sections, results }) =>
      [
        table(
          ['SECTION', 'PASSED', 'FAILED', 'SKIPPED'],
          sections.map(({ section, passed, failed, skipped }) => [section, String(passed), String(failed), String(skipped)]),
          'No sections.',
        ),
        ...results.filter(({ outcome }) => outcome === 'failed').flatMap(failure),
        '',
        `${badge.label}: ${badge.message}`,
        ...files.map((file) => `written: ${printableText(file)}`),
      ].join('\n'),
    );
    if (badge.isError) session.exitCode = 1;
  } finally {
    await server.stop();
  }
}

/** The sentence of the document, and what the robot did instead. */
function failure({ section, check, sentence, detail }: CheckResult): string[] {
  return ['', `${section}, ${check}:`, `  docs/robot-link.md: ${sentence}`, `  the robot: ${detail}`];
}

/** @throws {Refused} */
function addressOf(link: string): { host: string; port: number } {
  const url = URL.canParse(link) ? new URL(link) : null;
  if (url?.protocol !== 'ws:' || url.search !== '') {
    throw new Refused(
      '--link is an address of this computer, such as ws://192.168.1.20:8090: for wss put a proxy with a certificate before it',
      'usage',
    );
  }
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? 80 : Number(url.port) };
}

async function listening(server: LinkServer, link: string, address: { host: string; port: number }): Promise<void> {
  try {
    await server.start(address);
  } catch (error) {
    throw new Refused(`nothing can listen at ${link} (${(error as NodeJS.ErrnoException).code}): name an address of this computer, and a free port`);
  }
}

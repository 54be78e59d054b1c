import { linkVersion } from '@perch/schema';
import { Bench, Failed } from './bench.js';
import { checks, NotSeen, pingMs, type Check, type CheckResult } from './checks.js';
import type { LinkServer } from '@perch/link-server';

export interface GradeOptions {
  /** Somebody is at the robot, and taps. */
  hasPerson?: boolean;
  /** How long the robot has to connect for the first time. */
  firstDialMs?: number;
  onCheck?: (check: Pick<Check, 'section' | 'check'>, result?: CheckResult) => void;
}

export interface SectionGrade {
  section: string;
  passed: number;
  failed: number;
  skipped: number;
}

export interface ConformanceReport {
  document: 'docs/robot-link.md';
  link: number;
  model: string;
  firmware: string;
  started_at: string;
  ended_at: string;
  sections: SectionGrade[];
  results: CheckResult[];
}

/** As shields.io reads it from an address (its "endpoint badge"), with the counts. */
export interface Badge {
  schemaVersion: 1;
  label: string;
  message: string;
  color: 'brightgreen' | 'red';
  isError: boolean;
}

/** Waits for a robot to dial the server, and plays the script to its end whatever fails. @throws {Error} no robot connects */
export async function gradeRobot(
  server: LinkServer,
  { hasPerson = false, firstDialMs = 600_000, onCheck }: GradeOptions = {},
): Promise<ConformanceReport> {
  const startedAt = new Date().toISOString();
  server.pairs = true;
  server.welcome = { time_ms: Date.now(), ping_ms: pingMs, perch_tomorrow: { a: 1 } };
  const bench = new Bench(server, { hasPerson });
  const first = await server.session(1, firstDialMs).catch(() => null);
  if (first === null) throw new Error(`no robot has sent a hello to ${server.url} within ${firstDialMs / 1000} s (${server.dials.length} dials)`);
  const results = new Map<Check, CheckResult>();
  const grade = async (check: Check): Promise<void> => {
    const { section, check: name, sentence } = check;
    onCheck?.({ section, check: name });
    const result = { section, check: name, sentence, ...(await outcomeOf(bench, check)) };
    results.set(check, result);
    onCheck?.({ section, check: name }, result);
  };
  for (const check of checks) if (check.atTheEnd !== true) await grade(check);
  for (const check of checks) if (check.atTheEnd === true) await grade(check);
  const inOrder = checks.map((check) => results.get(check)!);
  const { model, firmware } = first.hello as unknown as { model: string; firmware: string };
  return {
    document: 'docs/robot-link.md',
    link: linkVersion,
    model: String(model),
    firmware: String(firmware),
    started_at: startedAt,
    ended_at: new Date().toISOString(),
    sections: gradesOf(inOrder),
    results: inOrder,
  };
}

async function outcomeOf(bench: Bench, { features = [], person, run }: Check): Promise<Pick<CheckResult, 'outcome' | 'detail'>> {
  try {
    const missing = features.find((feature) => !bench.offers(feature));
    if (missing !== undefined) return { outcome: 'skipped', detail: `the robot does not offer ${missing}` };
    if (person === true && !bench.hasPerson) return { outcome: 'skipped', detail: 'needs a person at the robot' };
    if (bench.isAway) return { outcome: 'failed', detail: 'the robot is away' };
    return { outcome: 'passed', detail: await run(bench) };
  } catch (error) {
    if (error instanceof NotSeen) return { outcome: 'not_seen', detail: error.message };
    if (error instanceof Failed) return { outcome: 'failed', detail: error.message };
    return { outcome: 'failed', detail: `the run itself failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function gradesOf(results: readonly CheckResult[]): SectionGrade[] {
  const sections = [...new Set(results.map(({ section }) => section))];
  return sections.map((section) => {
    const count = (...outcomes: string[]): number => results.filter((each) => each.section === section && outcomes.includes(each.outcome)).length;
    return { section, passed: count('passed'), failed: count('failed'), skipped: count('skipped', 'not_seen') };
  });
}

export function badgeOf({ link, sections }: ConformanceReport): Badge {
  const sum = (of: 'passed' | 'failed'): number => sections.reduce((total, section) => total + section[of], 0);
  const [passed, failed] = [sum('passed'), sum('failed')];
  const message = failed === 0 ? `${passed} of ${passed}` : `${failed} of ${passed + failed} failed`;
  return { schemaVersion: 1, label: `Perch robot link v${link}`, message, color: failed === 0 ? 'brightgreen' : 'red', isError: failed > 0 };
}

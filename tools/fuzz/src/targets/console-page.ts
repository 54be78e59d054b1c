import { pageProblem } from '../console/page/page-problems.js';
import { PageTexts } from '../console/page/page-files.js';
import { pageShapes } from '../console/page/page-shapes.js';
import type { Draft } from '../console/requests/drafts.js';
import { drive, type Problem } from '../drive.js';
import { exchangeRaw } from '../http/raw-exchange.js';
import { headOf } from '../http/shape.js';
import { answeredWithinMs } from '../answer-problems.js';
import { secret } from '../fuzz-system.js';
import type { Attack, Target } from './target.js';

export const consolePage: Target = { name: 'console-page', group: 'console', share: 0.03, attack: attackPage };

const inFlight = 12;

async function attackPage({ system, tally, seed, requests, log }: Attack): Promise<null> {
  const { port, host } = new URL(system.gateway());
  const texts = new PageTexts();
  if (texts.names.length === 0) throw new Error('there is no web page: npm run build');
  log(`console-page: ${requests}, ${texts.names.length} files`);

  async function send({ method, path, headers, what }: Draft): Promise<Problem | null> {
    const named = headers.some((line) => line.startsWith('host:')) ? [] : [`host: ${host}`];
    const bytes = Buffer.from(headOf({ method, path, host: null, headers: [...named, ...headers] }), 'latin1');
    const { answers, closed, rest } = await exchangeRaw({
      port: Number(port),
      parts: [bytes],
      bodiless: () => method === 'HEAD',
      answers: 1,
      withinMs: answeredWithinMs,
    });
    const [answer] = answers;
    tally.sent('console-page');
    tally.answered(
      'console-page',
      answer === undefined ? 'no answer' : String(answer.status),
      answer?.tookMs ?? 0,
      `${method} ${path.slice(0, 100)}`,
    );
    const wrong =
      answer === undefined
        ? `no answer${closed ? ', but closed' : ''}: ${rest.slice(0, 100)}`
        : pageProblem(method, answer, secret, (text, encoding) => texts.holds(text, encoding));
    if (wrong === null) return null;
    return {
      what: `${method} ${path.slice(0, 100)}, ${what}: ${wrong}`,
      request: JSON.stringify(bytes.toString('latin1').slice(0, 3000)),
      answer: answer === undefined ? rest : `${answer.status} ${answer.text}`,
    };
  }

  await drive<Draft>({ target: 'console-page', arbitrary: pageShapes(texts.names), count: requests, seed, inFlight, send, tally });
  return null;
}

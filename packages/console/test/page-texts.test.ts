import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pageTextsFile, pageTextsPage, textsOf } from './programs/page-texts.js';

describe('the list of texts of the web page', () => {
  it('holds every text of the page, after `npx pnpm@10.34.9 -r run generate`', () => {
    assert.equal(readFileSync(pageTextsFile, 'utf8'), pageTextsPage());
  });

  it('finds texts of elements, attributes and strings, and leaves out classes, addresses and code', () => {
    const source = `
      import { x } from 'Some module';
      const label = { title: 'Never expires', id: 'never', path: '/console/robots' };
      const days = ['7 days', '🍕 Pizza', 'itself; no one checked it', 'stack', \`translate(\${1} and \${2})\`];
      const whose = \`\${days}, web page\`;
      if (whose) throw new CallError('The service took too long to answer: 5 > 4.');
      if (days) throw new Error('No provider above');
      const Part = ({ n }: { n: number }) => (
        <p className="Not shown" aria-label={\`Remove \${n}\`}>
          Last seen <b>{n}</b> ago, <span className="unbroken">e-mail</span> sent.
          <input placeholder="Your name" d="M 1 2" />
        </p>
      );`;
    assert.deepEqual(textsOf('part.tsx', source), [
      'Never expires',
      '7 days',
      '🍕 Pizza',
      'itself; no one checked it',
      '{…}, web page',
      'The service took too long to answer: 5 > 4.',
      'Last seen {…} ago, e-mail sent. {…}',
      'Remove {…}',
      'Your name',
    ]);
  });
});

import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useSignedIn } from '../../../../api/session.js';
import { Segments } from '../../../../ui/controls/choices.js';
import { CodeBlock } from '../../../../ui/controls/copy.js';
import type { Args, FieldProblem } from '../draft/draft.js';
import { useAddressParameter } from '../use-address-parameter.js';
import { type Snippet, snippetsOf } from './snippets.js';

interface Props {
  robot: string;
  action: string;
  made: { args: Args } | { problems: readonly [FieldProblem, ...FieldProblem[]] };
}

export function Request({ robot, action, made }: Props) {
  return (
    <section className="request" aria-label="Request">
      <h3>Request</h3>
      {'args' in made ? (
        <Snippets robot={robot} action={action} args={made.args} />
      ) : (
        <p className="field-hint">
          The request appears here once <code>{made.problems[0].field}</code> is valid.
        </p>
      )}
    </section>
  );
}

function Snippets({ robot, action, args }: { robot: string; action: string; args: Args }) {
  const { base_url: baseUrl } = useSignedIn();
  const [named, setChosen] = useAddressParameter('as');
  const snippets = snippetsOf({ baseUrl, robot, action, args });
  const snippet = snippets.find(({ id }) => id === named) ?? snippets[0]!;
  return (
    <>
      <Segments label="As" hideLabel options={snippets.map(({ id, title }) => ({ id, label: title }))} value={snippet.id} onChange={setChosen} />
      <CodeBlock label={`${action} as ${snippet.title}`} text={snippet.text} />
      <p className="field-hint">
        {hints[snippet.id](baseUrl)} <Link to="/keys">one of your keys</Link>.
      </p>
    </>
  );
}

/** Instructions to run each snippet; the text continues with a link to the keys. */
const hints: Record<Snippet['id'], (baseUrl: string) => ReactNode> = {
  curl: () => (
    <>
      Run it with <code>PERCH_API_KEY</code> set to
    </>
  ),
  typescript: () => (
    <>
      Requires the client from Perch's repository: <code>npm install PERCH/packages/client</code>, where PERCH is your built clone. Set{' '}
      <code>PERCH_API_KEY</code> to
    </>
  ),
  python: () => (
    <>
      Requires the client from Perch's repository: <code>pip install ./clients/python</code> in a clone of it. Set <code>PERCH_API_KEY</code> to
    </>
  ),
  mcp: (baseUrl) => (
    <>
      Send it to <code>{baseUrl}/mcp</code>, with <code>Authorization: Bearer</code> and
    </>
  ),
};

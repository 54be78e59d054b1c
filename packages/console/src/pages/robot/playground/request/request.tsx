import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useSignedIn } from '../../../../api/session.js';
import { Segments } from '../../../../ui/controls/choices.js';
import { CopyButton } from '../../../../ui/controls/copy.js';
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
    <section className="dock-box" aria-label="Request">
      <h3 className="sr-only">Request</h3>
      {'args' in made ? (
        <Snippets robot={robot} action={action} args={made.args} />
      ) : (
        <p className="dock-body field-hint">
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
      <div className="dock-head">
        <Segments label="As" hideLabel options={snippets.map(({ id, title }) => ({ id, label: title }))} value={snippet.id} onChange={setChosen} />
        <CopyButton text={snippet.text} label={`${action} as ${snippet.title}`} />
      </div>
      <section className="dock-body" aria-label={`${action} as ${snippet.title}`} tabIndex={0}>
        <pre>
          <code>{snippet.text}</code>
        </pre>
        <p className="field-hint">
          {hints[snippet.id](baseUrl)} <Link to="/keys">one of your keys</Link>.
        </p>
      </section>
    </>
  );
}

/** Instructions to run each snippet; the text continues with a link to the keys. */
const hints: Record<Snippet['id'], (baseUrl: string) => ReactNode> = {
  curl: () => (
    <>
      Run it with <span className="mono">PERCH_API_KEY</span> set to
    </>
  ),
  typescript: () => (
    <>
      Requires the client from Perch's repository: <span className="mono">npm install PERCH/packages/client</span>, where PERCH is your built clone.
      Set <span className="mono">PERCH_API_KEY</span> to
    </>
  ),
  python: () => (
    <>
      Requires the client from Perch's repository: <span className="mono">pip install ./clients/python</span> in a clone of it. Set{' '}
      <span className="mono">PERCH_API_KEY</span> to
    </>
  ),
  mcp: (baseUrl) => (
    <>
      Send it to <span className="mono">{baseUrl}/mcp</span>, with <span className="mono">Authorization: Bearer</span> and
    </>
  ),
};

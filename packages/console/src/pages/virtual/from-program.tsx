/** After the first answer: the same question as a command, with a key made here. */
import { useAddKey, useKeys } from '../../api/keys.js';
import { messageOf } from '../../api/call-error.js';
import { useSignedIn } from '../../api/session.js';
import { Button } from '../../ui/controls/button.js';
import { CodeBlock } from '../../ui/controls/copy.js';
import { Notice } from '../../ui/notice.js';
import { snippetsOf } from '../robot/playground/request/snippets.js';

interface Props {
  robot: string;
  args: { question: string; answers: string[] };
}

/** Shows nothing to an account whose programs have called already. */
export function FromProgram({ robot, args }: Props) {
  const { base_url: baseUrl } = useSignedIn();
  const keys = useKeys();
  const add = useAddKey();
  if (add.data === undefined && (keys.data === undefined || keys.data.keys.some(({ last_used }) => last_used !== null))) return null;
  const curl = snippetsOf({ baseUrl, robot, action: 'ask', args }).find(({ id }) => id === 'curl')!;
  return (
    <section className="virtual-from-program" aria-labelledby="from-program-title">
      <h3 id="from-program-title">Now from your program</h3>
      {add.data === undefined ? (
        <>
          <p className="muted">A key lets a program ask the same question. Create one, and run the command in a terminal.</p>
          {add.error && <Notice tone="bad">{messageOf(add.error)}</Notice>}
          <div>
            <Button icon="key" isPending={add.isPending} onPress={() => add.mutate({ name: 'First program', robots: '*' })}>
              Create key
            </Button>
          </div>
        </>
      ) : (
        <>
          <CodeBlock
            label="for a terminal"
            caption="Run it in a terminal, and tap the answer."
            text={`export PERCH_API_KEY=${add.data.api_key}\n${curl.text}`}
          />
          <p className="field-hint">Copy the key now: it is not shown again. The page Keys lists it as First program.</p>
        </>
      )}
    </section>
  );
}

/** Asks the user to allow an OAuth client, such as an MCP client, which sent the browser here. Opening the page changes nothing. */
import type { AuthorizationAnswer, KeyScope } from '@perch/schema';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { messageOf } from '../../api/call-error.js';
import { useSignedIn } from '../../api/session.js';
import { Button, LinkButton } from '../../ui/controls/button.js';
import { Choices } from '../../ui/controls/choices.js';
import { Form } from '../../ui/controls/form.js';
import { RobotChoice, type RobotsChosen } from '../../ui/controls/robot-choice.js';
import { DecisionButton } from '../../ui/decision/decision-button.js';
import { Notice } from '../../ui/notice.js';
import { Empty, Failed, Loading, PageHead } from '../../ui/shell/page.js';
import { preselected, scopes as allScopes } from '../keys/scopes.js';
import { useAllowClient, useAuthorization } from './authorization.js';
import './authorize-page.css';

const fields = ['robots', 'scopes'];

export default function AuthorizePage() {
  const query = useLocation().search.replace(/^\?/, '');
  return query === '' ? <NothingAsked text="A program that connects to Perch opens this page with its request." /> : <Asked query={query} />;
}

function Asked({ query }: { query: string }) {
  const { data, error, refetch } = useAuthorization(query);
  if (data !== undefined)
    return data.problem === null ? <Consent key={query} query={query} asked={data} /> : <Refused asked={data} problem={data.problem} />;
  if (error?.status === 400) return <NothingAsked text={messageOf(error)} />;
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  return <Loading label="Loading the request" />;
}

function Consent({ query, asked }: { query: string; asked: AuthorizationAnswer }) {
  const { client, cancel } = asked;
  const { account } = useSignedIn();
  const allow = useAllowClient();
  // Nothing is chosen in advance for a client that anyone could have made.
  const isVerified = client.host !== null;
  const [robots, setRobots] = useState<RobotsChosen>(isVerified ? '*' : null);
  const [scopes, setScopes] = useState<readonly KeyScope[]>(isVerified ? preselected(asked.scopes) : []);
  const [isLeaving, setLeaving] = useState(false);
  const leave = (address: string): void => {
    setLeaving(true);
    location.assign(address);
  };
  if (isLeaving) return <Leaving client={client} />;
  return (
    <div className="narrow">
      <PageHead title={`Connect ${client.name}?`} lead={`It asks to use the robots of ${account.email}.`} />
      <section className="card authorize">
        <dl className="authorize-facts">
          <dt>Calls itself</dt>
          <dd>{client.name}</dd>
          <dt>Identity</dt>
          <dd>{client.host === null ? 'Not verified: any program can use any name' : `Published at ${client.host}`}</dd>
          <dt>Returns to</dt>
          <dd>{placeText(client.place)}</dd>
        </dl>
        <Notice tone="warn">Allow it only if you have just started this connection yourself.</Notice>
        <Form
          error={allow.error}
          fields={fields}
          onSubmit={() => allow.mutate({ query, robots: robots ?? [], scopes: [...scopes] }, { onSuccess: ({ redirect }) => leave(redirect) })}
          actions={
            <>
              <DecisionButton lacks={missingOf(robots, scopes)} isPending={allow.isPending}>
                Allow
              </DecisionButton>
              <Button onPress={() => leave(cancel)}>Cancel</Button>
            </>
          }
        >
          <RobotChoice value={robots} onChange={setRobots} />
          <Choices
            label="It can"
            name="scopes"
            options={allScopes.filter(({ id }) => asked.scopes.includes(id))}
            value={scopes}
            onChange={setScopes}
          />
          <p className="muted">It appears among your keys, where you can revoke it at any time. It expires after 90 days without use.</p>
        </Form>
      </section>
    </div>
  );
}

function missingOf(robots: RobotsChosen, scopes: readonly KeyScope[]): string | null {
  const noRobots = robots === null || robots.length === 0;
  if (noRobots) return scopes.length === 0 ? 'Choose robots and what it can do' : 'Choose robots';
  return scopes.length === 0 ? 'Choose what it can do' : null;
}

/** The browser leaves this page, unless it hands the address to an app. */
function Leaving({ client }: { client: AuthorizationAnswer['client'] }) {
  return (
    <>
      <PageHead title="Continue there" />
      <Empty title={`Return to ${client.name}`} actions={<LinkButton to="/keys">Go to your keys</LinkButton>}>
        <p>{`Your browser opens ${placeText(client.place)} with the result. You can close this page.`}</p>
      </Empty>
    </>
  );
}

/** Not sent back at once: anyone could make a client and use this page to send a browser anywhere. */
function Refused({ asked: { client, cancel }, problem }: { asked: AuthorizationAnswer; problem: string }) {
  return (
    <>
      <PageHead title={`${client.name} cannot be connected`} />
      <Empty title="Its request is not valid" actions={<Button onPress={() => location.assign(cancel)}>{`Return to ${client.place.name}`}</Button>}>
        <p>{problem}</p>
      </Empty>
    </>
  );
}

function NothingAsked({ text }: { text: string }) {
  return (
    <>
      <PageHead title="Connect a client" />
      <Empty title="There is nothing to allow" actions={<LinkButton to="/keys">Go to your keys</LinkButton>}>
        <p>{text}</p>
      </Empty>
    </>
  );
}

function placeText({ kind, name }: AuthorizationAnswer['client']['place']): string {
  if (kind === 'web') return name;
  return kind === 'computer' ? 'a program on this computer' : `the app ${name} on this computer`;
}

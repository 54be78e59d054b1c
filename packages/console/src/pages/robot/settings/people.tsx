/** The people of other accounts with whom the robot is shared, and the links that give it to more. */
import type { ConsolePerson, ConsoleShareLink, SharePermission } from '@perch/schema';
import { useState } from 'react';
import { messageOf } from '../../../api/call-error.js';
import { useChangePerson, useMakeShareLink, usePeople, useRemovePerson, useRemoveShareLink } from '../../share/sharing.js';
import { Button } from '../../../ui/controls/button.js';
import { Segments } from '../../../ui/controls/choices.js';
import { CopyLine } from '../../../ui/controls/copy.js';
import { DecisionButton } from '../../../ui/decision/decision-button.js';
import { Confirm } from '../../../ui/dialog/dialog.js';
import { Notice } from '../../../ui/notice.js';
import { Failed, Loading } from '../../../ui/shell/page.js';
import { Part } from '../../../ui/shell/parts.js';
import { dateOf } from '../../../ui/time/time.js';
import './people.css';

const permissions: readonly { id: SharePermission; label: string }[] = [
  { id: 'watch', label: 'Watch' },
  { id: 'use', label: 'Use' },
];

export function People({ robot }: { robot: string }) {
  const people = usePeople(robot);
  const { people: list = [], links = [] } = people.data ?? {};
  return (
    <Part
      id="people"
      title="People"
      note="Share the robot with people who have an account here. They reach it on this page alone: API keys reach only robots of their own account."
    >
      {people.error && people.data === undefined && <Failed error={people.error} onRetry={() => void people.refetch()} />}
      {people.isPending && <Loading label="Loading the people" lines={1} />}
      {people.data !== undefined && list.length + links.length === 0 && <p className="muted">This robot is not shared yet.</p>}
      {list.length > 0 && (
        <ul className="people" aria-label="People">
          {list.map((person) => (
            <Person key={person.id} robot={robot} person={person} />
          ))}
        </ul>
      )}
      {links.length > 0 && (
        <ul className="people" aria-label="Unused share links">
          {links.map((link) => (
            <OpenLink key={link.id} robot={robot} link={link} />
          ))}
        </ul>
      )}
      <NewLink robot={robot} isOpen={(made) => people.isError || links.some(({ id }) => id === made.id)} />
    </Part>
  );
}

function Person({ robot, person }: { robot: string; person: ConsolePerson }) {
  const change = useChangePerson(robot);
  const remove = useRemovePerson(robot);
  const [asking, setAsking] = useState<'use' | 'remove' | null>(null);
  const close = () => setAsking(null);
  // Show the new choice while the request is in flight; the list has the old one.
  const permission = change.isPending ? change.variables.permission : person.permission;
  return (
    <li className="people-row">
      <div>
        <h3>{person.email}</h3>
        <span className="muted">Since {dateOf(person.since)}</span>
      </div>
      <Segments
        label={`What ${person.email} may do`}
        hideLabel
        options={permissions}
        value={permission}
        onChange={(chosen) => (chosen === 'use' ? setAsking(chosen) : change.mutate({ person: person.id, permission: chosen }))}
      />
      <Button small look="quiet" aria-label={`Remove ${person.email}`} onPress={() => setAsking('remove')}>
        Remove
      </Button>
      {asking === null && change.error && <Notice tone="bad">{messageOf(change.error)}</Notice>}
      <Confirm
        title={`Let ${person.email} use the robot?`}
        action="Allow use"
        decides="grants"
        isOpen={asking === 'use'}
        isPending={change.isPending}
        error={change.error}
        onConfirm={() => change.mutate({ person: person.id, permission: 'use' }, { onSuccess: close })}
        onClose={close}
      >
        <p>They can run actions and scenes, and stop the robot. Your activity shows who did what.</p>
      </Confirm>
      <Confirm
        title={`Remove ${person.email}?`}
        action="Remove"
        isOpen={asking === 'remove'}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(person.id, { onSuccess: close })}
        onClose={close}
      >
        <p>They no longer see the robot, and what they asked on it ends. To share it with them again, send a new link.</p>
      </Confirm>
    </li>
  );
}

function OpenLink({ robot, link }: { robot: string; link: ConsoleShareLink }) {
  const remove = useRemoveShareLink(robot);
  return (
    <li className="people-row people-link">
      <div>
        <h3>{link.permission === 'use' ? 'Unused link to use' : 'Unused link to watch'}</h3>
        <span className="muted">Expires {dateOf(link.expires_at)}</span>
      </div>
      <Button small look="quiet" aria-label="Withdraw this link" isPending={remove.isPending} onPress={() => remove.mutate(link.id)}>
        Withdraw
      </Button>
      {remove.error && <Notice tone="bad">{messageOf(remove.error)}</Notice>}
    </li>
  );
}

/** @param isOpen whether a link that was made here still works, as far as is known */
function NewLink({ robot, isOpen }: { robot: string; isOpen: (made: ConsoleShareLink) => boolean }) {
  const make = useMakeShareLink(robot);
  const [permission, setPermission] = useState<SharePermission>('watch');
  return (
    <>
      <Segments
        label="People with a new link may"
        hint={
          permission === 'use'
            ? 'See the robot, run actions and scenes, and stop it. Your activity shows who did what.'
            : 'See its screen, readings and events, but not run anything on it.'
        }
        options={permissions}
        value={permission}
        onChange={setPermission}
      />
      {make.error && <Notice tone="bad">{messageOf(make.error)}</Notice>}
      {make.data !== undefined && isOpen(make.data.link) && (
        <Notice tone="good">
          <div className="people-made">
            <p>Send this link to one person. It works once, until {dateOf(make.data.link.expires_at)}, and is not shown again.</p>
            <CopyLine label="Share link" text={`${location.origin}/share#share=${make.data.token}`} secret />
          </div>
        </Notice>
      )}
      <div className="row">
        <DecisionButton look="plain" isPending={make.isPending} onPress={() => make.mutate(permission)}>
          Create share link
        </DecisionButton>
      </div>
    </>
  );
}

import type { ChangeRobotBody, ConsoleRobot } from '@perch/schema';
import { useState } from 'react';
import { Navigate, useParams } from 'react-router';
import { messageOf } from '../../../api/call-error.js';
import { keepRobotToken } from '../../../api/robot-tokens.js';
import { nameOf, useChangeRobot, useNewToken, useRobot, useRobots } from '../../../api/robots.js';
import { Button, LinkButton } from '../../../ui/controls/button.js';
import { Choices } from '../../../ui/controls/choices.js';
import { CopyButton } from '../../../ui/controls/copy.js';
import { Field } from '../../../ui/controls/field.js';
import { Form } from '../../../ui/controls/form.js';
import { nameProblem } from '../../../ui/controls/name-problem.js';
import { DecisionButton } from '../../../ui/decision/decision-button.js';
import { Notice } from '../../../ui/notice.js';
import { BackLink } from '../../../ui/shell/back-link.js';
import { Empty, Failed, Loading, PageHead } from '../../../ui/shell/page.js';
import { Part, Parts } from '../../../ui/shell/parts.js';
import { RemoveRobot } from '../../robots/remove-robot.js';
import { People } from './people.js';
import { LabelChips } from './label-chips.js';
import { settingsOf, volumeIn } from './settings-form.js';
import { useKeptForm } from './use-kept-form.js';
import './settings.css';

export default function RobotSettingsPage() {
  const { robot: id = '' } = useParams();
  const robots = useRobots();
  const robot = useRobot(id);
  const [seen, setSeen] = useState('');
  if (robot && seen !== id) setSeen(id);
  if (robot === undefined)
    return robots.error ? <Failed error={robots.error} onRetry={() => void robots.refetch()} /> : <Loading label="Loading the robot" />;
  // The list loses the robot before its removal is answered.
  if (robot === null && seen === id) return <Navigate to="/robots" replace />;
  if (robot === null)
    return (
      <>
        <PageHead title="No such robot" />
        <Empty title="Your account has no robot with this id" actions={<LinkButton to="/robots">Go to your robots</LinkButton>}>
          <p>It may have been removed, or belong to another account.</p>
        </Empty>
      </>
    );
  return <Settings key={id} robot={robot} />;
}

const parts = { about: 'Name and labels', sound: 'Sound', people: 'People', token: 'Token', remove: 'Remove' };

function Settings({ robot }: { robot: ConsoleRobot }) {
  return (
    <>
      <PageHead title="Settings" above={<BackLink to={`/robots/${encodeURIComponent(robot.id)}`}>{nameOf(robot)}</BackLink>} />
      <Parts parts={parts}>
        <About robot={robot} />
        <Sound robot={robot} />
        <People robot={robot.id} />
        <Token robot={robot} />
        <Removal robot={robot} />
      </Parts>
    </>
  );
}

const aboutFields = ['name', 'labels'];

function About({ robot }: { robot: ConsoleRobot }) {
  const change = useChangeRobot(robot.id);
  const { form, set, isChanged } = useKeptForm(`${robot.id} about`, { name: robot.name, labels: robot.labels ?? {} });
  const send = (): void =>
    change.mutate(
      { name: form.name.trim(), labels: form.labels },
      { onSuccess: ({ robot }) => set({ name: robot.name, labels: robot.labels ?? {} }) },
    );
  return (
    <Part id="about" title="Name and labels" note="Use labels to find the robot in lists, here and with GET /v1/robots.">
      <Form error={change.error} fields={aboutFields} onSubmit={send} actions={<Save change={change} isChanged={isChanged} />}>
        <Field
          label="Name"
          name="name"
          value={form.name}
          onChange={(name) => set({ name })}
          validate={(typed) => nameProblem(typed, null)}
          autoComplete="off"
        />
        <LabelChips labels={form.labels} onChange={(labels) => set({ labels })} />
      </Form>
    </Part>
  );
}

const soundFields = ['time_zone', 'volume_max', 'quiet_hours'];

function Sound({ robot }: { robot: ConsoleRobot }) {
  const change = useChangeRobot(robot.id);
  const { form, set, isChanged } = useKeptForm(`${robot.id} sound`, settingsOf(robot));
  const send = (): void => {
    const body: ChangeRobotBody = {
      time_zone: form.timeZone.trim(),
      volume_max: volumeIn(form.volume)!,
      quiet_hours: form.isQuiet ? { from: form.from, to: form.to } : null,
    };
    change.mutate(body, { onSuccess: ({ robot }) => set(settingsOf(robot)) });
  };
  return (
    <Part id="sound" title="Sound" note="The service enforces these limits for every program.">
      <Form error={change.error} fields={soundFields} onSubmit={send} actions={<Save change={change} isChanged={isChanged} />}>
        <Field
          label="Highest volume"
          name="volume_max"
          inputMode="numeric"
          value={form.volume}
          onChange={(volume) => set({ volume })}
          hint="0 to 100. Programs cannot play louder; leave this empty for no limit."
          validate={(typed) => (volumeIn(typed) === undefined ? 'Enter a whole number from 0 to 100, or leave this empty.' : null)}
        />
        <Choices
          label="Quiet hours"
          options={[{ id: 'quiet', label: 'No sound or speech at certain hours' }]}
          value={form.isQuiet ? ['quiet'] : []}
          onChange={(chosen) => set({ isQuiet: chosen.length > 0 })}
        />
        {form.isQuiet && (
          <div className="robot-settings-hours">
            <Field label="From" name="quiet_hours" type="time" value={form.from} onChange={(from) => set({ from })} isRequired />
            <Field
              label="To"
              type="time"
              value={form.to}
              onChange={(to) => set({ to })}
              validate={(to) => (to === form.from ? 'Choose a time other than the first one.' : null)}
              isRequired
            />
          </div>
        )}
        <Field
          label="Time zone"
          name="time_zone"
          value={form.timeZone}
          onChange={(timeZone) => set({ timeZone })}
          hint="Of the place where the robot is, such as Europe/Berlin."
          isRequired
        />
      </Form>
    </Part>
  );
}

function Save({ change, isChanged }: { change: ReturnType<typeof useChangeRobot>; isChanged: boolean }) {
  return (
    <>
      <Button type="submit" look="primary" isPending={change.isPending}>
        Save
      </Button>
      <span role="status" className="muted">
        {isChanged ? 'Not saved yet.' : change.isSuccess && 'Saved.'}
      </span>
    </>
  );
}

function Token({ robot }: { robot: ConsoleRobot }) {
  const renew = useNewToken();
  if (!robot.virtual)
    return (
      <Part id="token" title="Token" note="The robot got its token when it was paired.">
        <p className="muted">To replace it, pair the robot again with the code on its screen. It keeps its id, name and settings.</p>
      </Part>
    );
  return (
    <Part id="token" title="Token" note="The virtual robot connects with it.">
      {renew.error && <Notice tone="bad">{messageOf(renew.error)}</Notice>}
      {renew.data === undefined ? (
        <p className="muted">A new token ends the old one at once, and closes the connection that uses it.</p>
      ) : (
        <Notice tone="good">
          New token, shown only now: <code className="robot-settings-token">{renew.data}</code> <CopyButton text={renew.data} label="the token" />
        </Notice>
      )}
      <div>
        <DecisionButton
          look="plain"
          isPending={renew.isPending}
          onPress={() => renew.mutate(robot.id, { onSuccess: (token) => keepRobotToken(robot.id, token) })}
        >
          Replace token
        </DecisionButton>
      </div>
    </Part>
  );
}

function Removal({ robot }: { robot: ConsoleRobot }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Part id="remove" title="Remove" note="Programs can no longer reach the robot.">
      <div>
        <Button look="danger" icon="trash" onPress={() => setIsOpen(true)}>
          Remove robot
        </Button>
        <RemoveRobot robot={robot} isOpen={isOpen} onClose={() => setIsOpen(false)} />
      </div>
    </Part>
  );
}

import type { EventName, WebhookView } from '@perch/schema';
import { useState } from 'react';
import { useAddWebhook, useChangeWebhook } from '../../api/webhooks.js';
import { DialogActions } from '../../ui/dialog/dialog-actions.js';
import { Choices, Segments } from '../../ui/controls/choices.js';
import { Field } from '../../ui/controls/field.js';
import { Form } from '../../ui/controls/form.js';
import { RobotChoice } from '../../ui/controls/robot-choice.js';
import { eventLabels, eventNames } from './event-labels.js';

const fields = ['url', 'names', 'robots'];

const scopes = [
  { id: 'all', label: 'All events' },
  { id: 'some', label: 'Selected events' },
] as const;

/** Contents of the form; '*' means all. */
interface Chosen {
  url: string;
  names: '*' | EventName[];
  robots: '*' | string[];
}

interface AddWebhookProps {
  onClose: () => void;
  onMade: (answer: { webhook: WebhookView; secret: string }) => void;
}

export function AddWebhook({ onClose, onMade }: AddWebhookProps) {
  const add = useAddWebhook();
  const send = ({ url, names, robots }: Chosen) =>
    add.mutate({ url, ...(names === '*' ? {} : { names }), ...(robots === '*' ? {} : { robots }) }, { onSuccess: onMade });
  return <WebhookForm before={{ url: '', names: '*', robots: '*' }} send="Add webhook" sent={add} onSubmit={send} onClose={onClose} />;
}

export function EditWebhook({ webhook, onClose }: { webhook: WebhookView; onClose: () => void }) {
  const change = useChangeWebhook(webhook.id);
  const before = { url: webhook.url, names: webhook.names ?? ('*' as const), robots: webhook.robots ?? ('*' as const) };
  const send = ({ url, names, robots }: Chosen) =>
    change.mutate({ url, names: names === '*' ? null : names, robots: robots === '*' ? null : robots }, { onSuccess: onClose });
  return <WebhookForm before={before} send="Save" sent={change} onSubmit={send} onClose={onClose} />;
}

interface WebhookFormProps {
  before: Chosen;
  send: string;
  sent: { error: Error | null; isPending: boolean };
  onSubmit: (chosen: Chosen) => void;
  onClose: () => void;
}

function WebhookForm({ before, send, sent, onSubmit, onClose }: WebhookFormProps) {
  const [url, setUrl] = useState(before.url);
  const [names, setNames] = useState(before.names);
  const [robots, setRobots] = useState(before.robots);
  return (
    <Form
      error={sent.error}
      fields={fields}
      onSubmit={() => onSubmit({ url: url.trim(), names, robots })}
      actions={<DialogActions send={send} isPending={sent.isPending} onCancel={onClose} />}
    >
      <Field
        label="URL"
        name="url"
        type="url"
        inputMode="url"
        value={url}
        onChange={setUrl}
        placeholder="https://example.com/robots"
        hint="Receives a POST request with JSON for each event."
        validate={(typed) => (typed.trim() === '' || URL.canParse(typed.trim()) ? null : 'Enter a complete URL, such as https://example.com/robots.')}
        isRequired
        autoFocus
        autoComplete="off"
      />
      <div className="stack">
        <Segments label="Events" options={scopes} value={names === '*' ? 'all' : 'some'} onChange={(scope) => setNames(scope === 'all' ? '*' : [])} />
        {names !== '*' && (
          <Choices
            label="Selected events"
            name="names"
            problem={names.length === 0 ? 'Choose at least one event.' : null}
            dense
            value={names}
            onChange={setNames}
            options={eventNames.map((id) => ({ id, label: eventLabels[id] }))}
          />
        )}
      </div>
      <RobotChoice value={robots} onChange={setRobots} />
    </Form>
  );
}

import type { EventName, WebhookView } from '@perch/schema';
import { useState } from 'react';
import { useAddWebhook } from '../../api/webhooks.js';
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

interface AddWebhookProps {
  onClose: () => void;
  onMade: (answer: { webhook: WebhookView; secret: string }) => void;
}

export function AddWebhook({ onClose, onMade }: AddWebhookProps) {
  const add = useAddWebhook();
  const [url, setUrl] = useState('');
  const [names, setNames] = useState<'*' | EventName[]>('*');
  const [robots, setRobots] = useState<'*' | string[]>('*');
  return (
    <Form
      error={add.error}
      fields={fields}
      onSubmit={() =>
        add.mutate({ url: url.trim(), ...(names === '*' ? {} : { names }), ...(robots === '*' ? {} : { robots }) }, { onSuccess: onMade })
      }
      actions={<DialogActions send="Add webhook" isPending={add.isPending} onCancel={onClose} />}
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

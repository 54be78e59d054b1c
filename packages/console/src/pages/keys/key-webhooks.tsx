import type { ConsoleKey } from '@perch/schema';
import { messageOf } from '../../api/call-error.js';
import { useWebhooks } from '../../api/webhooks.js';
import { Choices } from '../../ui/controls/choices.js';
import { Notice } from '../../ui/notice.js';

/** In the dialog that revokes a key: the webhooks that the key created, and whether to remove them too. */
export function KeyWebhooks({ apiKey, remove, onChange }: { apiKey: ConsoleKey; remove: boolean; onChange: (remove: boolean) => void }) {
  const webhooks = useWebhooks();
  if (webhooks.error) return <Notice tone="warn">The webhooks that this key created could not be listed: {messageOf(webhooks.error)}</Notice>;
  const created = (webhooks.data ?? []).filter(({ created_by }) => created_by?.id === apiKey.id);
  if (created.length === 0) return null;
  const one = created.length === 1;
  return (
    <>
      <p>{one ? 'This key created a webhook. It keeps' : `This key created ${created.length} webhooks. They keep`} sending events unless removed:</p>
      <ul className="key-webhooks mono">
        {created.map(({ id, url }) => (
          <li key={id}>{url}</li>
        ))}
      </ul>
      <Choices
        label="Webhooks"
        options={[{ id: 'remove', label: one ? 'Remove it too' : 'Remove them too' }]}
        value={remove ? ['remove'] : []}
        onChange={(chosen) => onChange(chosen.length > 0)}
      />
    </>
  );
}

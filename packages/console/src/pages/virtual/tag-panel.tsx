import type { BrowserRobot } from '@perch/virtual-robot/browser';
import { useState } from 'react';
import { Button } from '../../ui/controls/button.js';
import { Segments } from '../../ui/controls/choices.js';
import { Field } from '../../ui/controls/field.js';
import { Panel } from './panel.js';

const kinds = [
  { id: 'text', label: 'Text' },
  { id: 'uri', label: 'URL' },
  { id: 'blank', label: 'Blank' },
] as const;
type Kind = (typeof kinds)[number]['id'];

export function TagPanel({ robot }: { robot: BrowserRobot }) {
  const [uid] = useState(newUid);
  const [kind, setKind] = useState<Kind>('text');
  const [written, setWritten] = useState<Record<Kind, string>>({ text: 'good morning', uri: 'https://example.org/hello', blank: '' });
  const [held, setHeld] = useState(false);
  return (
    <Panel title="NFC tag">
      <div className="stack">
        <Segments label="Content of the tag" options={kinds} value={kind} onChange={setKind} />
        {kind === 'blank' ? null : (
          <Field
            label={kind === 'text' ? 'Text on the tag' : 'URL on the tag'}
            value={written[kind]}
            onChange={(value) => setWritten({ ...written, [kind]: value })}
            isDisabled={held}
            maxLength={200}
          />
        )}
        <div className="row">
          <Button
            isDisabled={held}
            onPress={() => {
              robot.holdTag({ uid, type: 'NTAG216', ...(kind === 'blank' ? {} : { [kind]: written[kind] }) });
              setHeld(true);
            }}
          >
            Present tag
          </Button>
          <Button
            isDisabled={!held}
            onPress={() => {
              robot.takeTag();
              setHeld(false);
            }}
          >
            Remove tag
          </Button>
        </div>
      </div>
    </Panel>
  );
}

/** Returns a 7-byte UID with NXP's prefix. */
function newUid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6));
  return `04${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

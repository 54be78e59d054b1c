/** A robot that shows a code becomes the account's. */
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useAddRobot } from '../../api/robots.js';
import { DialogActions } from '../../ui/dialog-actions.js';
import { Dialog } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { asPrinted, isWhole } from './pairing-code.js';

interface AddByCodeProps {
  isOpen: boolean;
  /** As far as the address has it. */
  code: string;
  onClose: () => void;
}

export function AddByCode({ isOpen, onClose, code }: AddByCodeProps) {
  return (
    <Dialog title="Add a robot by its code" isOpen={isOpen} onClose={onClose}>
      <CodeForm code={code} onClose={onClose} />
    </Dialog>
  );
}

const nameCharsMax = 64;
const fields = ['code', 'name'];

function CodeForm({ code: given, onClose }: { code: string; onClose: () => void }) {
  const add = useAddRobot();
  const navigate = useNavigate();
  const [code, setCode] = useState(asPrinted(given));
  const [name, setName] = useState('');
  const send = () =>
    add.mutate(
      { code, ...(name.trim() === '' ? {} : { name: name.trim() }) },
      {
        onSuccess: ({ robot }) => {
          onClose();
          void navigate(`/robots/${encodeURIComponent(robot.id)}`);
        },
      },
    );
  return (
    <Form error={add.error} fields={fields} onSubmit={send} actions={<DialogActions send="Add robot" isPending={add.isPending} onCancel={onClose} />}>
      <Field
        label="Code on its screen"
        name="code"
        value={code}
        onChange={(typed) => setCode(asPrinted(typed))}
        validate={(value) => (isWhole(value) ? null : 'The code has 8 letters, such as BCDF-GHJK.')}
        hint="Switch the robot on; it shows the code for 10 minutes, then a new one."
        placeholder="XXXX-XXXX"
        className="code-field"
        mono
        isRequired
        autoFocus
        autoComplete="off"
        spellCheck="false"
      />
      <Field
        label={
          <>
            Name <small>(optional)</small>
          </>
        }
        name="name"
        value={name}
        onChange={setName}
        maxLength={nameCharsMax}
        hint="Such as the desk it stands on. You can change it later."
        autoComplete="off"
      />
    </Form>
  );
}

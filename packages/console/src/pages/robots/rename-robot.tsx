import type { ConsoleRobot } from '@perch/schema';
import { useState } from 'react';
import { nameOf, useRenameRobot } from '../../api/robots.js';
import { DialogActions } from '../../ui/dialog/dialog-actions.js';
import { Dialog } from '../../ui/dialog/dialog.js';
import { Form } from '../../ui/controls/form.js';
import { NameField } from '../../ui/controls/name-field.js';

interface RenameRobotProps {
  robot: ConsoleRobot;
  isOpen: boolean;
  onClose: () => void;
}

export function RenameRobot({ robot, isOpen, onClose }: RenameRobotProps) {
  return (
    <Dialog title={`Rename ${nameOf(robot)}`} isOpen={isOpen} onClose={onClose}>
      <NameForm robot={robot} onClose={onClose} />
    </Dialog>
  );
}

const fields = ['name'];

function NameForm({ robot, onClose }: { robot: ConsoleRobot; onClose: () => void }) {
  const rename = useRenameRobot(robot.id);
  const [name, setName] = useState(robot.name);
  return (
    <Form
      error={rename.error}
      fields={fields}
      onSubmit={() => rename.mutate({ name: name.trim() }, { onSuccess: onClose })}
      actions={<DialogActions send="Rename" isPending={rename.isPending} onCancel={onClose} />}
    >
      <NameField value={name} onChange={setName} blank="Enter a name." />
    </Form>
  );
}

import type { ConsoleRobot } from '@perch/schema';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { nameOf } from '../../../api/robots.js';
import { Menu, type MenuEntry } from '../../../ui/controls/menu.js';
import { LeaveRobot } from '../leave-robot.js';
import { RemoveRobot } from '../remove-robot.js';
import { RenameRobot } from '../rename-robot.js';

/** The menu of a robot in the list, as a card or a row, with the dialogs that it opens. */
export function RobotMenu({ robot }: { robot: ConsoleRobot }) {
  const navigate = useNavigate();
  const [open, setOpen] = useState<'rename' | 'remove' | 'leave' | null>(null);
  /** Dialogs are rendered from the first use on, so that a list of hundreds holds few. */
  const [isUsed, setUsed] = useState(false);
  const show = (dialog: 'rename' | 'remove' | 'leave') => {
    setUsed(true);
    setOpen(dialog);
  };
  const close = () => setOpen(null);
  const id = encodeURIComponent(robot.id);
  const own: MenuEntry[] = [
    { id: 'settings', label: 'Settings', icon: 'settings', onAction: () => void navigate(`/robots/${id}/settings`) },
    { id: 'rename', label: 'Rename', icon: 'edit', onAction: () => show('rename') },
    { id: 'remove', label: 'Remove', icon: 'trash', danger: true, onAction: () => show('remove') },
  ];
  const start: MenuEntry = { id: 'start', label: 'Start here', icon: 'robot', onAction: () => void navigate(`/virtual/${id}`) };
  const shared: MenuEntry[] = [{ id: 'leave', label: 'Leave', icon: 'out', danger: true, onAction: () => show('leave') }];
  const entries = robot.shared === undefined ? (robot.virtual && !robot.online ? [start, ...own] : own) : shared;
  return (
    <>
      <Menu label={`Actions for ${nameOf(robot)}`} entries={entries} />
      {isUsed && (
        <>
          <RenameRobot robot={robot} isOpen={open === 'rename'} onClose={close} />
          <RemoveRobot robot={robot} isOpen={open === 'remove'} onClose={close} />
          <LeaveRobot robot={robot} isOpen={open === 'leave'} onClose={close} />
        </>
      )}
    </>
  );
}

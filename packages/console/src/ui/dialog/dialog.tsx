import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import type { ReactNode } from 'react';
import { messageOf } from '../../api/call-error.js';
import { Button, IconButton } from '../controls/button.js';
import { classes } from '../classes.js';
import { DecisionButton } from '../decision/decision-button.js';
import { Notice } from '../notice.js';
import './dialog.css';

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
  /** Whether a click outside and Escape do not close it. */
  stays?: boolean;
  role?: 'dialog' | 'alertdialog';
}

/** Unmounts its contents when it closes. */
export function Dialog({ title, isOpen, onClose, children, wide = false, stays = false, role = 'dialog' }: DialogProps) {
  return (
    <ModalOverlay
      className="dialog-overlay"
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={!stays && role === 'dialog'}
      isKeyboardDismissDisabled={stays}
    >
      <Modal className={classes('dialog-modal', wide && 'dialog-wide')}>
        <AriaDialog className="dialog" role={role}>
          <header className="dialog-head">
            <Heading slot="title">{title}</Heading>
            {!stays && <IconButton icon="close" label="Close" onPress={onClose} />}
          </header>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export interface ConfirmProps {
  title: string;
  children: ReactNode;
  action: string;
  /** Default: deletes. */
  decides?: 'deletes' | 'grants';
  isOpen: boolean;
  isPending: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
}

export function Confirm({ title, children, action, decides = 'deletes', isOpen, isPending, error, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} role="alertdialog">
      <div className="stack">
        <div className="muted">{children}</div>
        {error !== null && <Notice tone="bad">{messageOf(error)}</Notice>}
        <div className="form-actions">
          <Button onPress={onClose} autoFocus>
            Cancel
          </Button>
          <DecisionButton look={decides === 'deletes' ? 'danger' : 'primary'} isPending={isPending} onPress={onConfirm}>
            {action}
          </DecisionButton>
        </div>
      </div>
    </Dialog>
  );
}

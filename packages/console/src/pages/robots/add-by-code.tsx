import type { PairingAnswer } from '@perch/schema';
import { lazy, Suspense, useState } from 'react';
import { useNavigate } from 'react-router';
import { nameOf, useAddRobot, useFindPairing } from '../../api/robots.js';
import { useSignedIn } from '../../api/session.js';
import { Button } from '../../ui/controls/button.js';
import { DialogActions } from '../../ui/dialog/dialog-actions.js';
import { Dialog } from '../../ui/dialog/dialog.js';
import { Field } from '../../ui/controls/field.js';
import { Form } from '../../ui/controls/form.js';
import { NameField } from '../../ui/controls/name-field.js';
import { Notice } from '../../ui/notice.js';
import { Loading } from '../../ui/shell/page.js';
import type { RobotPageState } from '../robot/just-paired.js';
import { formatCode, isComplete } from './pairing-code.js';

interface AddByCodeProps {
  isOpen: boolean;
  /** Code from the URL; may be empty. */
  code: string;
  onClose: () => void;
}

const InstallRobot = lazy(() => import('../install/install-robot.js'));

export function AddByCode({ isOpen, onClose, code }: AddByCodeProps) {
  const [installing, setInstalling] = useState(false);
  const [installedCode, setInstalledCode] = useState<string | null>(null);
  const { link_url: linkUrl, install } = useSignedIn();
  const close = () => {
    setInstalling(false);
    setInstalledCode(null);
    onClose();
  };
  const onCode = (shown: string) => {
    setInstalling(false);
    setInstalledCode(shown);
  };
  return (
    <Dialog title={installing ? 'Install Perch on a StackChan' : 'Add a robot by code'} isOpen={isOpen} onClose={close} stays={installing}>
      {installing ? (
        <Suspense fallback={<Loading label="Loading the installer" lines={2} />}>
          <InstallRobot linkUrl={install?.url || linkUrl} ca={install?.ca ?? ''} onCode={onCode} onClose={close} />
        </Suspense>
      ) : (
        <CodeForm code={installedCode ?? code} onClose={close} onInstall={() => setInstalling(true)} />
      )}
    </Dialog>
  );
}

const codeFields = ['code'];

/** Step 1 looks up the code, step 2 shows the robot and pairs it. */
function CodeForm({ code: given, onClose, onInstall }: { code: string; onClose: () => void; onInstall: () => void }) {
  const find = useFindPairing();
  const [code, setCode] = useState(formatCode(given));
  if (find.data !== undefined) return <ConfirmForm code={code} pairing={find.data.pairing} onBack={find.reset} onClose={onClose} />;
  return (
    <Form
      error={find.error}
      fields={codeFields}
      onSubmit={() => find.mutate(code)}
      actions={<DialogActions send="Continue" isPending={find.isPending} onCancel={onClose} />}
    >
      <Field
        label="Code on the screen of the robot"
        name="code"
        value={code}
        onChange={(typed) => setCode(formatCode(typed))}
        validate={(value) => (isComplete(value) ? null : 'The code has 8 letters, such as BCDF-GHJK.')}
        hint="Switch the robot on. It shows a code for 10 minutes, then a new one."
        placeholder="XXXX-XXXX"
        className="code-field"
        mono
        isRequired
        autoFocus
        autoComplete="off"
        spellCheck="false"
      />
      <div className="add-by-code-install muted">
        <span>A new StackChan has no code yet.</span>
        <Button small onPress={onInstall}>
          Install Perch on it
        </Button>
      </div>
    </Form>
  );
}

const confirmFields = ['name'];

interface ConfirmFormProps {
  code: string;
  pairing: PairingAnswer['pairing'];
  onBack: () => void;
  onClose: () => void;
}

function ConfirmForm({ code, pairing, onBack, onClose }: ConfirmFormProps) {
  const add = useAddRobot();
  const navigate = useNavigate();
  const { model, firmware, serial, network, replaces } = pairing;
  const [name, setName] = useState('');
  const send = () =>
    add.mutate(
      { code, ...(name.trim() === '' ? {} : { name: name.trim() }), ...(replaces === null ? {} : { replace: true }) },
      {
        onSuccess: ({ robot }) => {
          onClose();
          void navigate(`/robots/${encodeURIComponent(robot.id)}`, { state: { pairedAt: Date.now() } satisfies RobotPageState });
        },
      },
    );
  return (
    <Form
      error={add.error}
      fields={confirmFields}
      onSubmit={send}
      actions={<DialogActions send={replaces === null ? 'Add robot' : 'Replace robot'} isPending={add.isPending} onCancel={onBack} decides />}
    >
      <dl className="pairing-facts">
        <dt>Model</dt>
        <dd>
          {model} · {firmware}
        </dd>
        <dt>Serial</dt>
        <dd className="mono">{serial}</dd>
        <dt>Network</dt>
        <dd className="mono">{network || 'unknown'}</dd>
      </dl>
      {replaces === null ? (
        <p className="muted">Add it only if this is the robot in front of you: model and serial are reported by the robot and not verified.</p>
      ) : (
        <Notice tone="bad">
          Your account has a robot with this serial: {nameOf(replaces)}. If you continue, this robot replaces it and its current token is revoked.
        </Notice>
      )}
      <NameField
        value={name}
        onChange={setName}
        blank={null}
        hint={replaces === null ? 'For example, the desk it stands on. You can change it later.' : 'Leave empty to keep the current name.'}
      />
    </Form>
  );
}

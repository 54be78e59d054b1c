/** Installs the robot program on a StackChan that is plugged into this computer, and leads to its pairing code. */
import { hasIpAddress, linkUrlOf, readVersions, type Firmware, type InstallProgress } from '@perch/installer';
import { useState } from 'react';
import { Button } from '../../ui/controls/button.js';
import { Choices } from '../../ui/controls/choices.js';
import { DecisionButton } from '../../ui/decision/decision-button.js';
import { DialogActions } from '../../ui/dialog/dialog-actions.js';
import { Field } from '../../ui/controls/field.js';
import { Form } from '../../ui/controls/form.js';
import { Notice } from '../../ui/notice.js';
import { Spinner } from '../../ui/spinner.js';
import { useInstall, type InstallProblem, type InstallSettings } from './use-install.js';
import { offersWebSerial } from './web-serial.js';

interface InstallRobotProps {
  /** `ws(s)://HOST/robot/v1/link` */
  linkUrl: string;
  /** The authority of its certificate in PEM; empty if the person has to enter it. */
  ca: string;
  onCode: (code: string) => void;
  onClose: () => void;
}

export default function InstallRobot({ linkUrl, ca, onCode, onClose }: InstallRobotProps) {
  const { state, problem, recognise, install } = useInstall();
  // Kept over a failure, after which the same installation is started again.
  const [settings, setSettings] = useState<Settings>({
    ssid: '',
    password: '',
    url: linkUrlOf(linkUrl).url ?? '',
    ca,
    anyFirmware: false,
    unencrypted: false,
  });
  if (!offersWebSerial()) return <NoWebSerial onClose={onClose} />;
  switch (state.name) {
    case 'plug-in':
    case 'recognising':
      return <PlugIn problem={problem} isPending={state.name === 'recognising'} onChoose={() => void recognise()} onClose={onClose} />;
    case 'settings':
      return (
        <SettingsForm
          firmware={state.firmware}
          settings={settings}
          problem={problem}
          onChange={(changed) => setSettings((before) => ({ ...before, ...changed }))}
          onInstall={() => void install(state.firmware, installSettings(settings))}
          onClose={onClose}
        />
      );
    case 'installing':
      return <Progress progress={state.progress} />;
    case 'installed': {
      const { report, headCalibrated, state: stored } = state.installed;
      return (
        <div className="stack">
          <Notice tone="good">
            {report.kind === 'code' && `The robot program is installed. The robot shows the code ${report.code}.`}
            {report.kind === 'online' && 'The robot program is installed. The robot is paired and online.'}
            {report.kind === 'silent' && 'The robot program is installed. Enter the code that the robot shows on its screen.'}
          </Notice>
          {report.kind === 'silent' && report.reason !== null && <p className="muted">The robot reported: {report.reason}</p>}
          {!headCalibrated && (
            <Notice tone="info">
              The head is off: the firmware has not calibrated it, and its screen “Head Calibration” no longer appears, because the robot starts
              Perch. Tap “Head off” on the robot’s screen. The robot asks you to hold its head level.
            </Notice>
          )}
          {Object.keys(stored.servo).length > 0 && (
            <p className="muted">
              The firmware has measured where this robot’s head is level.{' '}
              <a href={`data:application/json,${encodeURIComponent(JSON.stringify(stored, null, 2))}`} download={`stackchan-${stored.id}.json`}>
                Save that
              </a>
              , in case M5Burner erases the robot.
            </p>
          )}
          <div className="form-actions">
            {report.kind === 'online' ? (
              <Button look="primary" onPress={onClose}>
                Close
              </Button>
            ) : (
              <Button look="primary" onPress={() => onCode(report.kind === 'code' ? report.code : '')}>
                Pair the robot
              </Button>
            )}
          </div>
        </div>
      );
    }
  }
}

function NoWebSerial({ onClose }: { onClose: () => void }) {
  return (
    <div className="stack">
      <Notice tone="info">
        This browser cannot use serial ports here. Chrome, Edge, Opera and Firefox (151 or newer) on a computer can, if this page is opened over HTTPS
        or at 127.0.0.1 or localhost.
      </Notice>
      <p className="muted">
        On Linux and macOS, the command <code>perch robot install</code> does the same.
      </p>
      <div className="form-actions">
        <Button onPress={onClose}>Close</Button>
      </div>
    </div>
  );
}

function Problem({ problem }: { problem: InstallProblem | null }) {
  if (problem === null) return null;
  return (
    <Notice tone="bad">
      {problem.message} {problem.advice}
    </Notice>
  );
}

interface PlugInProps {
  problem: InstallProblem | null;
  isPending: boolean;
  onChoose: () => void;
  onClose: () => void;
}

function PlugIn({ problem, isPending, onChoose, onClose }: PlugInProps) {
  return (
    <div className="stack">
      <p>
        Plug the robot into this computer with a USB cable and switch it on. It needs the firmware “UIFlow2 for StackChan”, which M5Burner, a program
        of M5Stack, installs: versions 2.4.8 and 2.5.3 were read.
      </p>
      <p className="muted">
        The browser lists the ports of this computer: the robot is the entry that appears when you plug it in. The program that runs on it is stopped.
        A file main.py of your own is kept as main-before-perch.py.
      </p>
      <Problem problem={problem} />
      <div className="form-actions">
        <Button onPress={onClose}>Cancel</Button>
        <DecisionButton isPending={isPending} onPress={onChoose}>
          Choose port
        </DecisionButton>
      </div>
    </div>
  );
}

interface Settings {
  ssid: string;
  password: string;
  url: string;
  ca: string;
  /** Installs on a version of UIFlow2 that was not read, too. */
  anyFirmware: boolean;
  /** Lets the robot connect by ws://. */
  unencrypted: boolean;
}

function installSettings({ ssid, password, url, ca, anyFirmware, unencrypted }: Settings): InstallSettings {
  const wifi = ssid === '' ? null : { ssid, password };
  return { wifi, url: linkUrlOf(url).url ?? url, ...(needsAuthority(url) ? { ca } : {}), anyFirmware, unencrypted };
}

function needsAuthority(url: string): boolean {
  return url.startsWith('wss:');
}

interface SettingsFormProps {
  firmware: Firmware;
  settings: Settings;
  problem: InstallProblem | null;
  onChange: (changed: Partial<Settings>) => void;
  onInstall: () => void;
  onClose: () => void;
}

function SettingsForm({
  firmware,
  settings: { ssid, password, url, ca, anyFirmware, unencrypted },
  problem,
  onChange,
  onInstall,
  onClose,
}: SettingsFormProps) {
  return (
    <Form error={null} onSubmit={onInstall} actions={<DialogActions send="Install" isPending={false} onCancel={onClose} decides />}>
      <p className="muted">
        Found a StackChan with UIFlow2 {firmware.uiflow} (MicroPython {firmware.version}).
      </p>
      {!firmware.isRead && (
        <Choices
          label="Another version"
          hint={`The developers have read the sources of UIFlow2 ${readVersions.join(' and ')}. What this version does differently is not known.`}
          options={[{ id: 'any', label: 'Install on this version all the same' }]}
          value={anyFirmware ? ['any'] : []}
          problem={anyFirmware ? null : 'Tick this to install on this version.'}
          onChange={(ticked) => onChange({ anyFirmware: ticked.length > 0 })}
        />
      )}
      <Field
        label="Wi-Fi name"
        value={ssid}
        onChange={(typed) => onChange({ ssid: typed })}
        hint="Leave empty to use the Wi-Fi that was entered in M5Burner. The robot finds only networks of 2.4 GHz."
        autoComplete="off"
        autoFocus
      />
      <Field label="Wi-Fi password" type="password" value={password} onChange={(typed) => onChange({ password: typed })} autoComplete="off" />
      <Field
        label="Address of Perch for robots"
        value={url}
        onChange={(typed) => onChange({ url: typed })}
        validate={urlProblem}
        hint={
          hasIpAddress(url)
            ? 'The robot keeps this IP address. If the computer that runs Perch gets another one, the robot no longer finds it: take the name in .local that npm start -- --lan prints, or give the computer a fixed address in the router.'
            : 'npm start -- --lan prints it. The robot must reach it from its network.'
        }
        mono
        isRequired
        autoComplete="off"
        spellCheck="false"
      />
      {needsAuthority(url) && (
        <Field
          label="CA certificate"
          value={ca}
          onChange={(typed) => onChange({ ca: typed })}
          hint="PEM text of the certificate authority that issued the certificate of Perch. The robot has no list of authorities of its own."
          rows={4}
          mono
          isRequired
        />
      )}
      {url.startsWith('ws:') && (
        <Choices
          label="Not encrypted"
          hint="Everyone in the robot’s network can then read what it shows, and take it over. npm start -- --lan prints an address with wss://."
          options={[{ id: 'plain', label: 'Install without encryption all the same' }]}
          value={unencrypted ? ['plain'] : []}
          problem={unencrypted ? null : 'Tick this to install a robot with ws://.'}
          onChange={(ticked) => onChange({ unencrypted: ticked.length > 0 })}
        />
      )}
      <Problem problem={problem} />
    </Form>
  );
}

function urlProblem(text: string): string | null {
  const { problem } = linkUrlOf(text);
  if (problem === 'scheme') return 'The address begins with ws:// or wss://.';
  return problem === 'loopback' ? 'The robot cannot reach this computer by that name. Start Perch with npm start -- --lan.' : null;
}

const stepTexts: Record<Exclude<InstallProgress['step'], 'files'>, string> = {
  connect: 'Opening the port',
  firmware: 'Checking the firmware',
  wifi: 'Joining the Wi-Fi',
  service: 'Connecting the robot to Perch',
  settings: 'Writing the settings',
  restart: 'Restarting the robot',
  code: 'Waiting for the pairing code',
};

function Progress({ progress: { step, done = 0, total = 0 } }: { progress: InstallProgress }) {
  const isWriting = step === 'files' && done < total;
  const text = step === 'files' ? (isWriting ? `Writing file ${done + 1} of ${total}` : 'Putting the files in place') : stepTexts[step];
  return (
    <div className="stack">
      <p role="status">
        <Spinner label="Working" /> {text}
      </p>
      <p className="muted">Leave the cable plugged in. If the installation is interrupted, start it again: it continues where it stopped.</p>
    </div>
  );
}

import {
  InstallError,
  installRobot,
  recogniseRobot,
  type Firmware,
  type Installed,
  type InstallProgress,
  type RobotPort,
  type Wifi,
} from '@perch/installer';
import { useState } from 'react';
import { choosePort } from './web-serial.js';

export type InstallState =
  | { name: 'plug-in' }
  | { name: 'recognising' }
  | { name: 'settings'; firmware: Firmware }
  | { name: 'installing'; progress: InstallProgress }
  | { name: 'installed'; installed: Installed };

export interface InstallProblem {
  message: string;
  advice: string;
}

/** Drives one installation; a failure leads back to the step before, from which it continues where it stopped. */
export function useInstall() {
  const [state, setState] = useState<InstallState>({ name: 'plug-in' });
  const [problem, setProblem] = useState<InstallProblem | null>(null);
  const [port, setPort] = useState<RobotPort | null>(null);

  const recognise = async () => {
    setProblem(null);
    const chosen = await choosePort();
    if (chosen === null) return;
    setPort(chosen);
    setState({ name: 'recognising' });
    try {
      setState({ name: 'settings', firmware: await recogniseRobot(chosen) });
    } catch (error) {
      setState({ name: 'plug-in' });
      setProblem(problemOf(error));
    }
  };

  const install = async (firmware: Firmware, settings: { wifi: Wifi | null; url: string; ca?: string }) => {
    if (port === null) return;
    setProblem(null);
    setState({ name: 'installing', progress: { step: 'connect' } });
    try {
      const { robotProgram } = await import('./robot-program.js');
      const onProgress = (progress: InstallProgress) => setState({ name: 'installing', progress });
      setState({ name: 'installed', installed: await installRobot({ port, files: await robotProgram(), ...settings, onProgress }) });
    } catch (error) {
      setState({ name: 'settings', firmware });
      setProblem(problemOf(error));
    }
  };

  return { state, problem, recognise, install };
}

function problemOf(error: unknown): InstallProblem {
  if (error instanceof InstallError) return { message: error.message, advice: error.advice };
  return { message: error instanceof Error ? error.message : String(error), advice: 'Reload the page and try again.' };
}

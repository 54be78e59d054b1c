import {
  InstallError,
  installRobot,
  recogniseRobot,
  restartRobot,
  type Firmware,
  type Installed,
  type InstallOptions,
  type InstallProgress,
  type RobotPort,
} from '@perch/installer';
import type { RobotProgramAnswer } from '@perch/schema';
import { useEffect, useRef, useState } from 'react';
import { useCaller } from '../../api/api.js';
import { choosePort } from './web-serial.js';

export type InstallState =
  | { name: 'plug-in' }
  | { name: 'recognising' }
  | { name: 'settings'; firmware: Firmware }
  | { name: 'installing'; progress: InstallProgress }
  | { name: 'installed'; installed: Installed };

export type InstallSettings = Pick<InstallOptions, 'wifi' | 'url' | 'ca' | 'anyFirmware' | 'unencrypted'>;

export interface InstallProblem {
  message: string;
  advice: string;
}

/** Drives one installation; a failure leads back to the step before, from which it continues where it stopped. */
export function useInstall() {
  const caller = useCaller();
  const [state, setState] = useState<InstallState>({ name: 'plug-in' });
  const [problem, setProblem] = useState<InstallProblem | null>(null);
  const [port, setPort] = useState<RobotPort | null>(null);
  // The robot whose program is stopped until an installation, or until the person leaves.
  const stopped = useRef<RobotPort | null>(null);
  const isLeft = useRef(false);

  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
      if (stopped.current !== null) startFormerProgram(stopped.current);
      stopped.current = null;
    };
  }, []);

  const recognise = async () => {
    setProblem(null);
    const chosen = await choosePort();
    if (chosen === null) return;
    setPort(chosen);
    setState({ name: 'recognising' });
    try {
      const firmware = await recogniseRobot(chosen);
      if (isLeft.current) startFormerProgram(chosen);
      else stopped.current = chosen;
      setState({ name: 'settings', firmware });
    } catch (error) {
      setState({ name: 'plug-in' });
      setProblem(problemOf(error));
    }
  };

  const install = async (firmware: Firmware, settings: InstallSettings) => {
    if (port === null) return;
    setProblem(null);
    setState({ name: 'installing', progress: { step: 'connect' } });
    try {
      const { robotProgram } = await import('./robot-program.js');
      const { program } = await caller.get<RobotProgramAnswer>('/console/robot-program');
      const files = await robotProgram(program);
      // The installer starts a program again, also when it fails.
      stopped.current = null;
      const onProgress = (progress: InstallProgress) => setState({ name: 'installing', progress });
      setState({ name: 'installed', installed: await installRobot({ port, files, ...settings, onProgress }) });
    } catch (error) {
      setState({ name: 'settings', firmware });
      setProblem(problemOf(error));
    }
  };

  return { state, problem, recognise, install };
}

/** If it fails, the robot has been unplugged, or its reset button does the same. */
function startFormerProgram(port: RobotPort): void {
  restartRobot(port).catch(() => undefined);
}

function problemOf(error: unknown): InstallProblem {
  if (error instanceof InstallError) return { message: error.message, advice: error.advice };
  return { message: error instanceof Error ? error.message : String(error), advice: 'Reload the page and try again.' };
}

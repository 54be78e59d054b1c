import type { BrowserRobot } from '@perch/virtual-robot/browser';
import { memo, useRef, useState } from 'react';
import { Button } from '../../ui/controls/button.js';
import { Panel } from './panel.js';
import type { Jolt } from './interactive-robot.js';
import { RemotePanel } from './remote-panel.js';
import { TagPanel } from './tag-panel.js';

export interface PanelsProps {
  robot: BrowserRobot;
  onJolt: (jolt: Jolt) => void;
}

export const Panels = memo(function Panels({ robot, onJolt }: PanelsProps) {
  return (
    <>
      <Head robot={robot} />
      <Panel title="Move it">
        <div className="row">
          <Button
            onPress={() => {
              robot.shake();
              onJolt('shake');
            }}
          >
            Shake it
          </Button>
          <Button
            onPress={() => {
              robot.lift();
              onJolt('lift');
            }}
          >
            Lift it
          </Button>
        </div>
      </Panel>
      <Distance robot={robot} />
      <TagPanel robot={robot} />
      <RemotePanel robot={robot} />
      <Power robot={robot} />
    </>
  );
});

/** Runs one interaction at a time: the head cannot be patted while it is stroked. */
function useBusyAction(): { doing: string | null; act: (what: string, run: () => Promise<void>) => () => void } {
  const [doing, setDoing] = useState<string | null>(null);
  return {
    doing,
    act: (what, run) => () => {
      if (doing !== null) return;
      setDoing(what);
      void run().finally(() => setDoing(null));
    },
  };
}

function Head({ robot }: { robot: BrowserRobot }) {
  const { doing, act } = useBusyAction();
  const gestures: readonly [string, () => Promise<void>][] = [
    ['Pat', () => robot.pat()],
    ['Pet', () => robot.pet()],
    ['Stroke forward', () => robot.stroke('forward')],
    ['Stroke back', () => robot.stroke('back')],
  ];
  return (
    <Panel title="Touch its head" hint="Or press, hold or slide along the three zones on top of the head in the drawing.">
      <div className="row">
        {gestures.map(([name, run]) => (
          <Button key={name} onPress={act(name, run)} isPending={doing === name}>
            {name}
          </Button>
        ))}
      </div>
    </Panel>
  );
}

function Distance({ robot }: { robot: BrowserRobot }) {
  const { doing, act } = useBusyAction();
  const [near, setNear] = useState(false);
  return (
    <Panel title="Distance">
      <p className="muted">{near ? 'You stand right in front of the robot.' : 'You are away from the robot.'}</p>
      <div className="row">
        <Button isDisabled={near} isPending={doing === 'up'} onPress={act('up', () => robot.comeNear().then(() => setNear(true)))}>
          Walk up
        </Button>
        <Button isDisabled={!near} isPending={doing === 'away'} onPress={act('away', () => robot.goAway().then(() => setNear(false)))}>
          Walk away
        </Button>
      </div>
    </Panel>
  );
}

function Power({ robot }: { robot: BrowserRobot }) {
  const pressedAt = useRef(0);
  const [plugged, setPlugged] = useState(true);
  return (
    <Panel title="Power" hint="Hold the power button for a second for a long press.">
      <div className="row">
        <Button onPressStart={() => (pressedAt.current = performance.now())} onPressEnd={() => robot.powerKey(performance.now() - pressedAt.current)}>
          Power button
        </Button>
        <Button
          onPress={() => {
            if (plugged) robot.unplug();
            else robot.plug();
            setPlugged(!plugged);
          }}
        >
          {plugged ? 'Unplug USB' : 'Plug USB in'}
        </Button>
        <Button onPress={() => robot.restart()}>Restart</Button>
      </div>
    </Panel>
  );
}

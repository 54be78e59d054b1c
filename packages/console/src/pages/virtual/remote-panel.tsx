import type { BrowserRobot } from '@perch/virtual-robot/browser';
import { Button as AriaButton } from 'react-aria-components/Button';
import { Panel } from './panel.js';

const address = 0;

/** Printed label, name and NEC command of each button. */
const keys: readonly [string, string, number][] = [
  ['CH−', 'Channel down', 0x45],
  ['CH', 'Channel', 0x46],
  ['CH+', 'Channel up', 0x47],
  ['Prev', 'Previous', 0x44],
  ['Next', 'Next', 0x40],
  ['Play', 'Play or pause', 0x43],
  ['−', 'Volume down', 0x07],
  ['+', 'Volume up', 0x15],
  ['EQ', 'Equalizer', 0x09],
  ['1', 'One', 0x0c],
  ['2', 'Two', 0x18],
  ['3', 'Three', 0x5e],
  ['4', 'Four', 0x08],
  ['5', 'Five', 0x1c],
  ['6', 'Six', 0x5a],
  ['7', 'Seven', 0x42],
  ['8', 'Eight', 0x52],
  ['9', 'Nine', 0x4a],
];

export function RemotePanel({ robot }: { robot: BrowserRobot }) {
  return (
    <Panel title="Infrared remote">
      <div className="virtual-remote">
        {keys.map(([print, name, command]) => (
          <AriaButton
            key={command}
            className="virtual-key"
            aria-label={`${print}: ${name}, command ${command}`}
            onPress={() => void robot.pressRemote({ address, command })}
          >
            {print}
          </AriaButton>
        ))}
      </div>
    </Panel>
  );
}

import type { EarlierScreen } from '@perch/schema';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/controls/button.js';
import { CodeBlock } from '../../../ui/controls/copy.js';
import { Dialog } from '../../../ui/dialog/dialog.js';
import { Notice } from '../../../ui/notice.js';
import { timeOf } from '../../../ui/time/time.js';
import { durationText } from '../../activity/activity-words.js';
import { ScreenPicture } from './screen-picture.js';
import { callerOf, kindLabels, outcomeOf } from './screen-words.js';

interface Props {
  robot: string;
  screen: EarlierScreen;
  onTry(action: string, args: Record<string, unknown>): void;
  onClose(): void;
}

export function ScreenDialog({ robot, screen, onTry, onClose }: Props) {
  const { action, at, arguments: args, lacks, x, y, tap_s: tapS } = screen;
  return (
    <Dialog title={kindLabels[action]} isOpen onClose={onClose} wide>
      <div className="stack">
        <ScreenPicture robot={robot} screen={screen} />
        <dl className="earlier-facts">
          <Fact label="When">
            <time dateTime={at}>{timeOf(at)}</time>
          </Fact>
          <Fact label="By">{callerOf(screen)}</Fact>
          <Fact label="Outcome">{outcomeOf(screen).label}</Fact>
          {tapS !== null && <Fact label="Tapped after">{durationText(tapS)}</Fact>}
          {x !== null && y !== null && (
            <Fact label="Tapped at">
              {x}, {y}
            </Fact>
          )}
        </dl>
        {args === null ? (
          <Notice tone="warn">The arguments were too long to be kept.</Notice>
        ) : (
          <>
            {lacks.length > 0 && <Notice tone="warn">Pictures that were sent with the call or by address are not kept: {lacks.join(', ')}.</Notice>}
            <CodeBlock label={`arguments of ${action}`} text={JSON.stringify(args, null, 2)} />
            <div className="form-actions">
              <Button onPress={() => onTry(action, args)}>Try in the playground</Button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="muted">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Contents of the robot's screen, in screen pixels; used alone and inside the drawing of the robot. */
import type { ReactNode } from 'react';
import { Bubble } from './bubble.js';
import { descriptionOf } from './description.js';
import { Face } from './face.js';
import type { RobotLooks } from './looks.js';
import { ReadingsView } from './readings-view.js';
import './drawing.css';

export const screenWidth = 320;
export const screenHeight = 240;

/** The screen alone. @param children drawn over it, in screen pixels */
export function RobotScreen({ looks, children }: { looks: RobotLooks; children?: ReactNode }) {
  return (
    <svg className="robot-screen" viewBox={`0 0 ${screenWidth} ${screenHeight}`} role="img" aria-label={descriptionOf(looks)}>
      <ScreenContents looks={looks} />
      {children}
    </svg>
  );
}

export function ScreenContents({ looks }: { looks: RobotLooks }) {
  const { screenOn = true, brightness = 100, picture, stickers = [] } = looks;
  if (!screenOn || !looks.online) return <rect className="screen-off" width={screenWidth} height={screenHeight} />;
  return (
    <>
      <rect className="screen-ground" width={screenWidth} height={screenHeight} />
      {picture === null ? (
        <>
          {looks.view === 'readings' ? <ReadingsView readings={looks.readings} /> : <Face emotion={looks.emotion} speaks={looks.bubble !== null} />}
          {stickers.map(({ id, picture, ...place }) => (
            <image key={id} href={picture} x={place.x} y={place.y} width={place.w} height={place.h} />
          ))}
          {looks.bubble === null || looks.view === 'readings' ? null : <Bubble text={looks.bubble} />}
        </>
      ) : (
        <image className="screen-picture" href={picture} width={screenWidth} height={screenHeight} />
      )}
      {brightness < 100 ? <rect width={screenWidth} height={screenHeight} fillOpacity={0.8 * (1 - brightness / 100) ** 2} /> : null}
    </>
  );
}

import { emotionOf, type Emotion } from '@perch/screen/own-screen';
import type { ReactNode } from 'react';
import { Bubble } from './bubble.js';
import { descriptionOf } from './description.js';
import { Face } from './face.js';
import type { RobotLooks } from './looks.js';
import { ReadingsView } from './readings-view.js';
import { screenHeight, screenWidth } from './screen-size.js';
import './drawing.css';

export { screenHeight, screenWidth } from './screen-size.js';

/** The screen alone, with a still face. @param children drawn over it, in screen pixels */
export function RobotScreen({ looks, children }: { looks: RobotLooks; children?: ReactNode }) {
  return (
    <svg className="robot-screen" viewBox={`0 0 ${screenWidth} ${screenHeight}`} role="img" aria-label={descriptionOf(looks)}>
      <rect className="screen-ground" width={screenWidth} height={screenHeight} />
      {isFaceUncovered(looks) ? <Face emotion={emotionShown(looks)} bubble={looks.online ? looks.bubble : null} /> : null}
      <OverFace looks={looks} />
      {children}
    </svg>
  );
}

export function OverFace({ looks }: { looks: RobotLooks }) {
  if (!looks.online) return null;
  const { screenOn = true, brightness = 100, picture, stickers = [], view, bubble } = looks;
  if (!screenOn) return <rect className="screen-off" width={screenWidth} height={screenHeight} />;
  return (
    <>
      {isCovered(looks) ? null : (
        <>
          {view === 'readings' ? <ReadingsView readings={looks.readings} /> : null}
          {stickers.map(({ id, picture, ...place }) => (
            <image key={id} href={picture} x={place.x} y={place.y} width={place.w} height={place.h} />
          ))}
          {bubble === null || view === 'readings' ? null : <Bubble text={bubble} />}
        </>
      )}
      {picture === null ? null : <image className="screen-picture" href={picture} width={screenWidth} height={screenHeight} />}
      {brightness < 100 ? <rect width={screenWidth} height={screenHeight} fillOpacity={shade(brightness)} /> : null}
    </>
  );
}

/** Returns how much of the screen's light is missing: below 10 % nobody reads it. */
function shade(brightness: number): number {
  return brightness < 10 ? 0.97 - brightness / 100 : 0.8 * (1 - brightness / 100) ** 2;
}

/** Returns whether the face can be seen; that of an offline robot sleeps. */
export function isFaceUncovered(looks: RobotLooks): boolean {
  return !looks.online || ((looks.screenOn ?? true) && looks.view !== 'readings' && !isCovered(looks));
}

export function emotionShown({ online, emotion }: RobotLooks): Emotion {
  return online ? emotionOf(emotion) : 'sleepy';
}

function isCovered({ picture, covered = picture !== null }: RobotLooks): boolean {
  return covered;
}

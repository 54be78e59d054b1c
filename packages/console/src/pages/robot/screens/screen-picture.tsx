import type { EarlierScreen } from '@perch/schema';
import { useEarlierPicture } from '../../../api/earlier-screens.js';
import { screenHeight, screenWidth } from '../../../drawing/screen-size.js';
import { textOf } from './screen-words.js';

/** Has its size before the picture is there. */
export function ScreenPicture({ robot, screen }: { robot: string; screen: EarlierScreen }) {
  const { address, missing } = useEarlierPicture(robot, screen);
  return (
    <span className="earlier-picture">
      {address !== null ? (
        <img src={address} alt={textOf(screen)} width={screenWidth} height={screenHeight} />
      ) : (
        <>
          <span className="sr-only">{textOf(screen)}</span>
          {missing !== null && <span className="earlier-picture-none">{missing === 'not kept' ? 'Picture not kept' : 'Picture not loaded'}</span>}
        </>
      )}
    </span>
  );
}

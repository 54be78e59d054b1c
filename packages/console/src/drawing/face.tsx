import { bubbleTop, emotionOf, faceColors, facePlace, faceShapes } from '@perch/screen/own-screen';

/** @param bubble text of the speech bubble beneath the face; null: none */
export function Face({ emotion, bubble = null }: { emotion: string; bubble?: string | null }) {
  const { x, y, scale } = facePlace(bubble === null ? null : bubbleTop(bubble));
  return (
    <g className="face" data-emotion={emotionOf(emotion)} transform={`translate(${x} ${y}) scale(${scale})`}>
      {faceShapes(emotion).map(({ path, color, line, opacity }) => (
        <path
          key={path}
          d={path}
          opacity={opacity}
          {...(line === undefined ? { fill: faceColors[color] } : { fill: 'none', stroke: faceColors[color], strokeWidth: line })}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      ))}
    </g>
  );
}

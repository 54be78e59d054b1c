import { emotionOf, faceColors, facePlace, faceShapes } from '@perch/screen/own-screen';

export function Face({ emotion, speaks = false }: { emotion: string; speaks?: boolean }) {
  const { x, y, scale } = facePlace(speaks);
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

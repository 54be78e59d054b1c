/** Draws the face in all that it does by itself as one SVG, docs/images/face.svg. */
import { fileURLToPath } from 'node:url';
import {
  emotions,
  faceColors,
  livePlace,
  livePose,
  newFaceLife,
  poseShapes,
  type FaceLife,
  type Mood,
  type Reaction,
} from '../../src/own-screen/index.js';

export const faceSheetFile = fileURLToPath(new URL('../../../../docs/images/face.svg', import.meta.url));

const [width, height, gap, label, columns] = [320, 240, 16, 34, 6];
const seed = 7;
/** An arbitrary moment at which the face neither blinks nor looks away. */
const at = 2000;

export function faceMoments(): [label: string, life: FaceLife, ms: number][] {
  const neutral = newFaceLife(seed, 'neutral');
  const felt = (kind: Reaction['kind'], emotion: Mood = 'neutral'): FaceLife => ({
    ...newFaceLife(seed, emotion),
    reactions: [{ kind, at: at - 500, until: null }],
  });
  const looking = (x: number, y: number): FaceLife => ({ ...neutral, looks: [...neutral.looks, { value: { x, y }, at: at - 1000 }] });
  const talking = (emotion: Mood, level: number): FaceLife => ({
    ...newFaceLife(seed, emotion),
    talks: [{ at: at - 1000, until: null, levels: Array<number>(40).fill(level) }],
  });
  const changing = (from: Mood, to: Mood): FaceLife => {
    const life = newFaceLife(seed, from);
    return { ...life, moods: [...life.moods, { value: to, at }] };
  };
  return [
    ...emotions.map((emotion): [string, FaceLife, number] => [emotion, newFaceLife(seed, emotion), at]),
    ['blinking', neutral, blinkMs(neutral, 0.5)],
    ['eyes closed by a blink', neutral, blinkMs(neutral, 0.02)],
    ['looking left', looking(-1, 0), at],
    ['looking up right', looking(1, -1), at],
    ['looking down', looking(0, 1), at],
    ['asleep', newFaceLife(seed, 'asleep'), at],
    ['petted', felt('petted'), at],
    ['petted while angry', felt('petted', 'angry'), at],
    ['shaken', felt('shaken'), at],
    ['lifted', felt('lifted'), at],
    ['neutral, a third of the way to angry', changing('neutral', 'angry'), at + 180],
    ['neutral, half the way to happy', changing('neutral', 'happy'), at + 225],
    ['talking quietly', talking('neutral', 0.4), at],
    ['talking loudly', talking('neutral', 1), at],
    ['happy, talking quietly', talking('happy', 0.2), at],
    ['angry, talking', talking('angry', 0.7), at],
    ['sad, talking', talking('sad', 0.7), at],
    ['sleepy, talking', talking('sleepy', 0.7), at],
  ];
}

export function faceSheet(): string {
  const moments = faceMoments();
  const [across, down] = [width + gap, height + label + gap];
  const cells = moments.map(([name, life, ms], index) => {
    const place = `translate(${gap + (index % columns) * across} ${gap + Math.floor(index / columns) * down})`;
    return `<g transform="${place}"><svg width="${width}" height="${height}"><rect width="${width}" height="${height}" rx="12" fill="${faceColors.ground}"/>${face(life, ms)}</svg><text x="${width / 2}" y="${height + 24}">${name}</text></g>`;
  });
  const [allWidth, allHeight] = [gap + columns * across, gap + Math.ceil(moments.length / columns) * down];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${allWidth} ${allHeight}" font-family="sans-serif" font-size="18" text-anchor="middle">
<rect width="${allWidth}" height="${allHeight}" fill="#ffffff"/>
${cells.join('\n')}
</svg>
`;
}

function face(life: FaceLife, ms: number): string {
  const { x, y, scale } = livePlace(life, ms);
  const shapes = poseShapes(livePose(life, ms)).map(({ path, color, line, opacity }) => {
    const paint = line === undefined ? `fill="${faceColors[color]}"` : `fill="none" stroke="${faceColors[color]}" stroke-width="${line}"`;
    return `<path d="${path}" ${paint}${opacity === undefined ? '' : ` opacity="${opacity}"`}/>`;
  });
  return `<g transform="translate(${x} ${y}) scale(${scale})" stroke-linecap="round" stroke-linejoin="round">${shapes.join('')}</g>`;
}

/** Returns a moment at which a blink has closed the eyes down to a share of their height. */
function blinkMs(life: FaceLife, share: number): number {
  for (let ms = at; ; ms++) if (livePose(life, ms).left.open <= share) return ms;
}

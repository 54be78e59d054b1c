/** A face as numbers, in px on a screen of 320 x 240 before `facePlace`. Any two faces can be mixed, so that one eases into the other. */

export interface EyePose {
  x: number;
  y: number;
  /** Half the width and height of the open eye. */
  w: number;
  h: number;
  /** 1: open. 0: closed to a flat line. -1: closed to a line bent by `bend`. */
  open: number;
  /** How far the control point of the closed line lies below its ends; negative: above, as in a smile of the eyes. */
  bend: number;
}

/** A quadratic curve from the outer to the inner end. */
export interface BrowPose {
  x0: number;
  y0: number;
  cx: number;
  cy: number;
  x1: number;
  y1: number;
  opacity: number;
}

/** The upper lip: two quadratic curves from (x0, y0) over (mx, my) to (x1, y1). The lower one returns over (lx, ly); if equal: closed. */
export interface MouthPose {
  x0: number;
  y0: number;
  cx0: number;
  cy0: number;
  mx: number;
  my: number;
  cx1: number;
  cy1: number;
  x1: number;
  y1: number;
  lcx1: number;
  lcy1: number;
  lx: number;
  ly: number;
  lcx0: number;
  lcy0: number;
  line: number;
}

export interface FacePose {
  left: EyePose;
  right: EyePose;
  leftBrow: BrowPose;
  rightBrow: BrowPose;
  mouth: MouthPose;
  /** A round mouth. `share`: 0 is none, 1 its full size. */
  ring: { x: number; y: number; rx: number; ry: number; share: number };
  /** How far angry upper lids are drawn over the eyes, 0..1. */
  lids: number;
  tongue: number;
  cheeks: number;
  tear: number;
  /** The letters of sleep; `y` is how far they have risen. */
  zzz: { opacity: number; y: number };
  /** Spirals in the eyes: opacity, and rotation in degrees. */
  spiral: { opacity: number; turn: number };
  /** Displacement of the whole face. */
  x: number;
  y: number;
  /** Displacement of what looks somewhere: the eyes by all of it, the mouth by half. */
  gaze: { x: number; y: number };
}

type Numbers = { [name: string]: number | Numbers };

/** Returns the face between two: `from` at share 0, `to` at 1. */
export function mixedPose(from: FacePose, to: FacePose, share: number): FacePose {
  if (share <= 0) return from;
  return share >= 1 ? to : (mixed(from as unknown as Numbers, to as unknown as Numbers, share) as unknown as FacePose);
}

function mixed(from: Numbers, to: Numbers, share: number): Numbers {
  const result: Numbers = {};
  for (const [name, value] of Object.entries(from)) {
    const end = to[name]!;
    result[name] = typeof value === 'number' ? value + ((end as number) - value) * share : mixed(value, end as Numbers, share);
  }
  return result;
}

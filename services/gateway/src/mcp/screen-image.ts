import { ApiError } from '@perch/schema';
import type { Call } from '../calls/call.js';
import type { ScreenReader } from '../media/screen-reader.js';
import type { Image } from './tool-result.js';

const withinMs = 5_000;

/** @returns null if the screen cannot be shown: the robot is offline, or its picture is no longer stored or was not drawn in time */
export async function screenImage(screen: Pick<ScreenReader, 'read'>, { account, robot, signal, span }: Call): Promise<Image | null> {
  const late = AbortSignal.timeout(withinMs);
  try {
    const { format, bytes } = await screen.read({ account, robot, span, signal: AbortSignal.any([signal, late]) });
    return { data: bytes.toString('base64'), mimeType: `image/${format}` };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError || error === late.reason) return null;
    throw error;
  }
}

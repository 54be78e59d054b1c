/** Drawing a caller's picture again would fetch it from its address again, which takes up to 5 s and may yield another picture. */
import { sha256 } from '@perch/runtime';
import type { PictureRef } from '@perch/schema';
import type { ActionServices } from '../definition/action.js';

type DrawSent = ActionServices['media']['drawSent'];

export class PreparedPictures {
  readonly #drawn = new Map<string, PictureRef[]>();

  drawing(drawSent: DrawSent): DrawSent {
    return async (robot, sent, sceneOf, options) => {
      const picture = await drawSent(robot, sent, sceneOf, options);
      const key = keyOf(robot, sent, sceneOf);
      this.#drawn.set(key, [...(this.#drawn.get(key) ?? []), picture]);
      return picture;
    };
  }

  /** Returns each kept picture once, since a command is built again if its picture has expired. Others are drawn. */
  taking(drawSent: DrawSent): DrawSent {
    return async (robot, sent, sceneOf, options) =>
      this.#drawn.get(keyOf(robot, sent, sceneOf))?.shift() ?? (await drawSent(robot, sent, sceneOf, options));
  }
}

function keyOf(robot: Parameters<DrawSent>[0], sent: Parameters<DrawSent>[1], sceneOf: Parameters<DrawSent>[2]): string {
  const scene = sceneOf(sent.map((picture) => (picture === null ? null : picture.field)));
  return sha256(JSON.stringify([robot.id, robot.record.hello.screen, sent, scene]));
}

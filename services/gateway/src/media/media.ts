import type { Store } from '@perch/store';
import { BodyBudget } from '../http/json-body.js';
import type { RobotStates } from '../robots/robot-states.js';
import { MediaMaker } from './media-maker.js';
import { PictureFetch, PictureSources, type PictureAccess } from './picture-sources.js';
import { ScreenImages, ScreenReader } from './screen-reader.js';

export interface MediaOptions {
  store: Store;
  states: RobotStates;
  imageAddresses: PictureAccess;
  /** Maximum size of all pictures that are being fetched or decoded. */
  bodyBytes: number;
}

/** Returns what makes pictures and sounds for robots, and reads what their screens show. */
export function createMedia({ store, states, imageAddresses, bodyBytes }: MediaOptions) {
  const sources = new PictureSources(new PictureFetch(imageAddresses), store.uploadedPictures, new BodyBudget(bodyBytes));
  const maker = new MediaMaker(store, sources);
  const images = new ScreenImages(store);
  return { maker, images, screen: new ScreenReader({ store, states, media: maker, images }) };
}

/** Pure layout: turns an action's arguments into drawings (`Scene`) and tappable regions (`Target`); and hit tests. */
export { bubbleScene } from './bubble.js';
export { cardScene, type CardArgs } from './card.js';
export { countdownFrame, nextRest, restText, shownRest, type Countdown } from './countdown.js';
export { exactText, graphemes, isEmoji, lossOf, tidyLines, tidyText, whiteSpaceSigns, withEllipsis, type TextLoss } from './graphemes.js';
export { invisibleIn } from './invisible.js';
export { menuScene, type MenuArgs, type MenuItem } from './menu.js';
export { ownScreenScene, type OwnScreen } from './own-screen/own-screen.js';
export { fittedScene, pictureScene } from './picture.js';
export { questionScene, type QuestionArgs } from './question.js';
export {
  screen,
  type Box,
  type FillBox,
  type IconBox,
  type ImageBox,
  type PathBox,
  type MarkdownBox,
  type QrBox,
  type Scene,
  type SparklineBox,
  type TappableScene,
  type TextBox,
} from './scene.js';
export { hitTest, pixelAt, regionTargets, targetCenter, type RegionShape } from './target.js';
export { contrast, theme } from './theme.js';

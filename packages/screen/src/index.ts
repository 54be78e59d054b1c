/** Pure layout: turns an action's arguments into drawings (`Scene`) and tappable regions (`Target`); and hit tests. */
export { bubbleScene } from './bubble.js';
export { cardScene, type CardArgs } from './card.js';
export { graphemes, isEmoji, tidyText, withEllipsis } from './graphemes.js';
export { menuScene, type MenuArgs, type MenuItem } from './menu.js';
export { fittedScene, pictureScene } from './picture.js';
export { questionScene, type QuestionArgs } from './question.js';
export { screen, type Box, type FillBox, type ImageBox, type Scene, type TappableScene, type TextBox } from './scene.js';
export { hitTest, regionTargets, targetCenter, type RegionShape } from './target.js';
export { contrast, theme } from './theme.js';

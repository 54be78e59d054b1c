import { onRenderPlaces } from './render-places-suite.js';

onRenderPlaces('1 job shard', { shards: 1 });

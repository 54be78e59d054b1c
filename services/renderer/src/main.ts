import { runService } from '@perch/runtime';
import { rendererService } from './service.js';

void runService(rendererService, process.env);

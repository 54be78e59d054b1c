import { runService } from '@perch/runtime';
import { robotLinkService } from './service.js';

void runService(robotLinkService, process.env);

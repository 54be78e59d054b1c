import { runService } from '@perch/runtime';
import { webhooksService } from './service.js';

void runService(webhooksService, process.env);

import { runClientService } from '@perch/runtime';
import { probeService } from './service.js';

void runClientService(probeService, process.env);

import { runService } from '@perch/runtime';
import { gatewayService } from './service.js';

void runService(gatewayService, process.env);

import { runClientService } from '@perch/runtime';
import { mqttBridgeService } from './service.js';

void runClientService(mqttBridgeService, process.env);

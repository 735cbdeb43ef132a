import { systemClock } from '../../../src/registries/index.ts';
import { LogUpload } from '../../../src/logs/log-upload.ts';

// Sends the log at a path to a collector until it is killed: node test/logs/support/send-log.ts PATH ENDPOINT
const [, , path = '', endpoint = ''] = process.argv;
const upload = new LogUpload(path, {
  source: { machineId: 'rover-7', host: 'rover', version: '0.1.0' },
  clock: systemClock,
  random: () => 0,
  onNotice: () => undefined,
});
upload.follow({ ok: true, value: { endpoint, headers: {} } });
process.stdin.resume();

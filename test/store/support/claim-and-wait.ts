// Claims the given machine.db, reports lidar 1.0.0 as deployed, and keeps the file claimed until killed.
import { parseModuleId } from '../../../src/core/index.ts';
import { openForPoller } from '../../../src/store/index.ts';

const [, , path = ''] = process.argv;
const file = openForPoller(path);
const moduleId = parseModuleId('acme:lidar');
if (moduleId.ok) {
  file.state.report(
    { kind: 'module', name: 'lidar', moduleId: moduleId.value },
    '1.0.0',
    Date.now(),
  );
}
process.stdout.write('claimed\n');
// Ends when the parent process ends.
process.stdin.resume().on('end', () => file.close());

// Claims the machine's file that is named, reports that the lidar runs 1.0.0, and holds it until killed.
import { parseModuleId } from '../../src/core/index.ts';
import { openForPoller } from '../../src/store/index.ts';

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
// Nor longer than who started it lives.
process.stdin.resume().on('end', () => file.close());

// Applies settings of the system once. Its arguments are the home, the host, and the attributes of both subsystems.
import { applyFiles } from '../../../src/agent/system/apply-files.ts';
import type { SystemHost } from '../../../src/agent/system/host.ts';
import { targetOf } from './system-target.ts';

const [, , home = '', host = '', attributes = ''] = process.argv;
const { files } = targetOf(...(JSON.parse(attributes) as [object, object]));
await applyFiles(files, home, JSON.parse(host) as SystemHost);

/* Makes its environment private, as the agent does, and prints what others can read of it, the warning, and a secret. */
import { readFileSync } from 'node:fs';
import { withPrivateEnvironment } from '../../../src/cli/agent/private-environment.ts';
import { quietWorld } from '../../support/quiet-world.ts';

const { world, warning } = withPrivateEnvironment({
  ...quietWorld('linux/x64'),
  environment: process.env,
});
const shown = readFileSync('/proc/self/environ', 'latin1').split('\0');
const own = Object.keys(process.env).toSorted();
const secret = world.environment['MODREG_TOKEN'];
const printed = { shown: shown.filter((one) => one !== ''), own, warning, secret };
process.stdout.write(JSON.stringify(printed));

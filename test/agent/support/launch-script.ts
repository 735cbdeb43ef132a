// An agent in short: starts a script of sh, writes "started", and stays. Its argument is the script.
import { launch } from '../../../src/agent/process/launch.ts';

const launched = await launch({
  path: '/bin/sh',
  arguments: ['-c', process.argv[2] ?? ''],
  folder: '/',
  environment: { PATH: '/usr/bin:/bin' },
  runAs: undefined,
  mark: `test-${process.pid}/`,
  onLine: ({ text }) => process.stdout.write(`${text}\n`),
});
if (!launched.ok) throw new Error(launched.error.reason);
setInterval(() => undefined, 1_000_000);

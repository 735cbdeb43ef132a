/*
 * `npm run bench:poller` measures the CPU time, memory and latency of a poller. Each part runs in a separate process.
 * `-- --idle-minutes 10 --rounds 1000` changes the length of the idle part and of the soak part.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Row } from './publishing.ts';

const { values } = parseArgs({
  options: {
    'idle-minutes': { type: 'string', default: '2' },
    rounds: { type: 'string', default: '100000' },
  },
});
const PARTS = [
  ['poller-large.ts'],
  ['poller-lists.ts'],
  ['poller-latency.ts'],
  ['poller-idle.ts', values['idle-minutes']],
  ['poller-soak.ts', values.rounds],
] as const;

const rows: Row[] = [];
for (const [script, ...args] of PARTS) {
  console.error(script);
  const command = ['--expose-gc', join(import.meta.dirname, script), ...args];
  const printed = execFileSync(process.execPath, command, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  rows.push(...(JSON.parse(printed) as Row[]));
}
for (const { measured, figure, target, isMet } of rows) {
  const missed = isMet ? '' : '   MISSED';
  console.log(`${measured}\n    ${figure.padEnd(48)} ${target}${missed}`);
}

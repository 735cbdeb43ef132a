/*
 * A module that misbehaves: fake-module.ts <behaviour> [<number>]. What stays writes "ready" first.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';

const [behaviour = '', amount = '0'] = process.argv.slice(2);

function stay(): void {
  setInterval(() => undefined, 1_000_000);
  process.stdout.write('ready\n');
}

const BEHAVIOURS: Readonly<Record<string, () => void>> = {
  exits: () => {
    process.stderr.write('no motor\n');
    process.exitCode = Number(amount);
  },
  aborts: () => process.kill(process.pid, 'SIGABRT'),
  stays: stay,
  'ignores SIGTERM': () => {
    process.on('SIGTERM', () => process.stdout.write('ignored\n'));
    stay();
  },
  /** Leaves a process in a session of its own, and ends. */
  forks: () => spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref(),
  'forks and stays': () => {
    BEHAVIOURS['forks']?.();
    stay();
  },
  floods: () => process.stdout.write('a line\n'.repeat(Number(amount))),
  'writes a long line': () => process.stdout.write(`${'x'.repeat(Number(amount))}\n`),
  /** Is healthy until SIGUSR2. */
  serves: () => {
    let status = 200;
    process.on('SIGUSR2', () => (status = 503));
    createServer((_, response) => response.writeHead(status).end()).listen(
      Number(amount),
      '127.0.0.1',
      () => process.stdout.write('ready\n'),
    );
  },
};

BEHAVIOURS[behaviour]?.();

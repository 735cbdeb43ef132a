/*
 * Installs the file at an address, and prints the most memory above what the process had before, in MiB, and the longest time that
 * its event loop was blocked, in milliseconds.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Artifact } from '../../../src/core/index.ts';
import { install } from '../../support/installing.ts';

const [home = '', artifact = ''] = process.argv.slice(2);
const SAMPLE_MS = 5;
const MIB = 1024 * 1024;

const delay = monitorEventLoopDelay({ resolution: 5 });
// An agent has contacted its registry before.
const { url = '' } = JSON.parse(artifact) as Artifact;
await (await fetch(url, { headers: { range: 'bytes=0-9' } })).arrayBuffer();
globalThis.gc?.();
const before = process.memoryUsage.rss();
let most = before;
const timer = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss());
}, SAMPLE_MS);
delay.enable();
const began = performance.now();
const result = await install(home, JSON.parse(artifact) as Artifact, { platform: 'linux/amd64' });
const ms = performance.now() - began;
clearInterval(timer);
delay.disable();
process.stdout.write(
  JSON.stringify({
    outcome: result.ok ? 'installed' : result.error.reason,
    mib: (most - before) / MIB,
    blockedMs: delay.max / 1e6,
    ms,
  }),
);

import { cpus } from 'node:os';

/** Where a benchmark runs. */
export const MACHINE: string = `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, Node ${process.version}`;

import type { Measured } from '../part.ts';
import { range, rounded, short } from '../row.ts';
import { planTimes } from './plan.ts';
import { processes } from './processes.ts';

/* The parts of `npm run bench` about plans and whole processes, as lines for a table and rows for docs/benchmarks.md. */

export function plans(): Measured {
  const rows = planTimes();
  const timeOf = (start: string): number =>
    rows.find(({ what }) => what.startsWith(start))?.time ?? NaN;
  const times = rows.flatMap(({ time, actions }) => (actions === undefined ? [] : [time]));
  const share = short((100 * Math.max(...times)) / timeOf('indexing'));
  const figure = `${range(times)} ms: ${share} % of the time for indexing`;
  return {
    headline: `A plan for 1,000 modules with 1,000 releases each: ${figure}; semver.maxSatisfying alone takes ${short(timeOf('semver'))} ms`,
    details: rows.map(({ what, time, actions = '' }) => ({ what, ms: rounded(time), actions })),
    rows: [
      { measured: 'a plan of 1,000 modules with 1,000 releases each, on indexed lists', figure },
      {
        measured: '`semver.maxSatisfying` on the same lists',
        figure: `${short(timeOf('semver') / 1000)} s`,
      },
    ],
  };
}

export function wholeProcesses(): Measured {
  const rows = processes();
  const timeOf = (part: string): string =>
    short(rows.find(({ command }) => command.includes(part))?.median ?? NaN);
  const [idle] = rows;
  const start = `${timeOf('resolve acme:lidar')} ms of CPU, ${short(idle?.median ?? NaN)} of them for Node alone`;
  const check = rows.at(-2)?.median ?? NaN;
  return {
    headline: `CPU time of whole processes, median of 9: starting a command takes ${start}`,
    details: rows.map(({ command, median, least }) => {
      return { command, 'median ms': rounded(median), 'least ms': rounded(least) };
    }),
    rows: [
      {
        measured: '`modreg check` of 1,000 modules in 1 MiB, as a whole process',
        figure: `${short(check)} ms of CPU`,
        peer: `ajv with the same JSON Schema: ${short(rows.at(-1)?.median ?? NaN)} ms`,
      },
      { measured: 'starting a command', figure: start },
    ],
  };
}

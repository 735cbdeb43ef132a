import { excerpt } from '../../core/text/quote.ts';
import type { InstallStep } from '../../agent/install/install-step.ts';

const CELLS = 20;
const MEGABYTE = 1_000_000;

/** `lidar 1.2.9  [#########-----------]  45 %  4.5 of 10.0 MB` */
export function downloadBar(
  { name, version }: { readonly name: string; readonly version: string },
  { bytes, total }: InstallStep & { readonly kind: 'downloading' },
): string {
  const what = `${excerpt(name)} ${version}`;
  if (total === undefined || total === 0) return `${what}  ${megabytes(bytes)} MB`;
  const share = Math.min(1, bytes / total);
  const bar = '#'.repeat(Math.floor(share * CELLS)).padEnd(CELLS, '-');
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `${what}  [${bar}] ${percent} %  ${megabytes(bytes)} of ${megabytes(total)} MB`;
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}

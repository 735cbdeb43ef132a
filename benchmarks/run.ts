/*
 * `npm run bench`, and `-- registry`, `network`, `poller` or `agent`: prints what was measured, and writes it into
 * docs/benchmarks.md. `--only '<part>'` runs one part.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tableOf, writeDocument, writeFormatted } from './document.ts';
import { MACHINE } from './machine.ts';
import type { Measured, Part } from './part.ts';
import { chosenParts, isShort } from './parts.ts';
import { reporting } from './progress.ts';
import type { Row } from './row.ts';

const DETAILS = new URL('details.md', import.meta.url);

interface Result {
  readonly part: Part;
  readonly measured: Measured;
}

function titleOf({ part, measured }: Result): string {
  return measured.headline ?? part.name;
}

function detailsOf(result: Result): string {
  const { details = [], rows, log = '' } = result.measured;
  const messages = log === '' ? '' : `\n\n\`\`\`text\n${log.trimEnd()}\n\`\`\``;
  const table = details.length > 0 ? details : rows.map(lineOf);
  return `## ${titleOf(result)}\n\n${tableOf(table)}${messages}\n`;
}

function lineOf({
  measured,
  figure,
  peer = '',
  target = '',
  isMet = true,
}: Row): Record<string, string> {
  return {
    measured,
    figure,
    ...(peer && { peer }),
    ...(target && { target: isMet ? target : `${target}   MISSED` }),
  };
}

function printResults(results: readonly Result[]): void {
  console.log(`${MACHINE}\n`);
  for (const result of results.filter(({ part }) => part.isPrinted === true)) {
    console.log(`${titleOf(result)}\n${tableOf(result.measured.details ?? [])}\n`);
  }
  for (const [section, rows] of rowsBySection(results)) {
    console.log(`docs/benchmarks.md, ${section}\n${tableOf(rows.map(lineOf))}\n`);
  }
  console.log(`details: ${relative(process.cwd(), fileURLToPath(DETAILS))}`);
}

function rowsBySection(results: readonly Result[]): ReadonlyMap<string, readonly Row[]> {
  const bySection = Map.groupBy(results, ({ part }) => part.section);
  return new Map(
    Array.from(bySection, ([section, its]) => [
      section,
      its.flatMap(({ measured }) => measured.rows),
    ]),
  );
}

const parts = chosenParts();
const results: Result[] = [];
for (const [at, part] of parts.entries()) {
  const step = { name: part.name, place: at + 1, of: parts.length };
  results.push({ part, measured: await reporting(step, part.measure) });
}
printResults(results);
const details = [`# Details of the last benchmark\n\n${MACHINE}\n`, ...results.map(detailsOf)];
await writeFormatted(DETAILS, details.join('\n'));
if (!isShort) await writeDocument(rowsBySection(results));

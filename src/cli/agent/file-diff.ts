import type { FilePlan } from '../../agent/system/file-plan.ts';
import { escapeUnprintable } from '../../core/text/quote.ts';
import { diffLines } from '../../core/text/diff-lines.ts';

/** What is printed in place of a key. */
const MASKED = '********';
const ABSENT = '/dev/null';

/** The change of a managed file as a unified diff, whose keys of networks are masked; empty if nothing changes. */
export function fileDiff(plan: FilePlan): string[] {
  if (plan.verdict !== 'write' && plan.verdict !== 'restore') return [];
  const { path, before, after } = plan;
  const found = before?.kind === 'file' ? before : undefined;
  const [old, now] = [linesOf(found?.content), linesOf(after?.content)];
  const modes =
    found && after && found.mode !== after.mode ? modeLines(found.mode, after.mode) : [];
  const lines = diffLines(old, now);
  const isSame = lines.every((line) => line.startsWith(' '));
  if (isSame) return modes;
  return [
    ...modes,
    `--- ${found ? path : ABSENT}`,
    `+++ ${after ? path : ABSENT}`,
    `@@ -${range(old)} +${range(now)} @@`,
    ...lines.map((line) => escapeUnprintable(line.replace(/^(.\s*psk\s*=).*/, `$1${MASKED}`))),
  ];
}

function modeLines(old: number, now: number): string[] {
  return [`old mode ${old.toString(8)}`, `new mode ${now.toString(8)}`];
}

function linesOf(content: string | Buffer | undefined): string[] {
  const text = content?.toString() ?? '';
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function range(lines: readonly string[]): string {
  return lines.length === 0 ? '0,0' : `1,${lines.length}`;
}

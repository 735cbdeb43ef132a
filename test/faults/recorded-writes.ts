import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A change to a file in the order in which a process made it; the file is named without its folder. */
export type FileChange = { readonly name: string } & (
  | { readonly kind: 'create' | 'remove' | 'sync' }
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'append'; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly size: number }
);

/** The arguments of strace that record the changes to `paths` in `log`; before those of the command. */
export function recordingArguments(paths: readonly string[], log: string): string[] {
  const on = paths.flatMap((path) => ['-P', path]);
  const calls = 'pwrite64,write,fsync,fdatasync,ftruncate,unlink,openat';
  return ['-f', '-qq', '-y', '-xx', '-s', '1000000', '-o', log, ...on, '-e', `trace=${calls}`];
}

/** The changes in such a log. */
export function changesIn(log: string): FileChange[] {
  const lines = readFileSync(log, 'latin1').split('\n');
  return lines.flatMap((line) => {
    const [, call = '', given = ''] = /^\d+ +(\w+)\((.*)\) += \d+/.exec(line) ?? [];
    const change = changeOf(call, given);
    return change ? [change] : [];
  });
}

function changeOf(call: string, given: string): FileChange | undefined {
  const [, path = ''] =
    (call === 'unlink' || call === 'openat' ? /"([^"]*)"/ : /<([^>]*)>/).exec(given) ?? [];
  const name = basename(bytesOf(path).toString());
  const [, text = ''] = /"([^"]*)"/.exec(given) ?? [];
  const last = Number(given.slice(given.lastIndexOf(',') + 1));
  switch (call) {
    case 'openat':
      return given.includes('O_CREAT') ? { name, kind: 'create' } : undefined;
    case 'unlink':
      return { name, kind: 'remove' };
    case 'fsync':
    case 'fdatasync':
      return { name, kind: 'sync' };
    case 'ftruncate':
      return { name, kind: 'truncate', size: last };
    case 'pwrite64':
      return { name, kind: 'write', at: last, bytes: bytesOf(text) };
    case 'write':
      return { name, kind: 'append', bytes: bytesOf(text) };
    default:
      return undefined;
  }
}

/** The bytes of a text such as `\x2f\x74`. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text.replaceAll(String.raw`\x`, ''), 'hex');
}

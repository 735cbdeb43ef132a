import { expect, it } from 'vitest';
import { readDocumentFile } from '../../src/host/document-file.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openFiles } from '../support/open-files.ts';

it('a file is read up to a limit and one more byte', () => {
  const folder = temporaryFolder({ x: 'x'.repeat(70_000) });
  const length = (most: number): number | undefined => {
    const file = readDocumentFile(`${folder}/x`, most);
    return file.ok ? file.value.bytes.length : undefined;
  };
  expect([length(9), length(65_535), length(69_999), length(70_000)]).toEqual([
    10, 65_536, 70_000, 70_000,
  ]);
});

it('a file does not stay open, nor does a folder, which is no document: watch reads them each minute', () => {
  const folder = temporaryFolder({ x: '{}' });
  const isRead = [`${folder}/x`, folder].map((path) => readDocumentFile(path).ok);
  const open = openFiles().filter((path) => path.startsWith(folder));
  expect([isRead, open]).toEqual([[true, false], []]);
});

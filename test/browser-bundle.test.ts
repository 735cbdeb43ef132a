import { writeFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ANSWERS, bundledForBrowsers, PICKING, PROGRAM } from './support/browser-bundle.ts';
import { temporaryFolder } from './support/folder.ts';

/** What a browser has besides the language, as far as the package uses it. */
const GLOBALS = { TextDecoder, TextEncoder, URL, Uint8Array, atob };

/** What the program answers without anything of Node. */
function answersOf(code: string): string {
  const context: { readonly answers?: string } = createContext({ ...GLOBALS });
  runInContext(code, context);
  return context.answers ?? 'nothing';
}

it('[D347] modreg and modreg/config bundle for browsers, and decide there', async () => {
  const { code, complaints } = await bundledForBrowsers(PROGRAM, temporaryFolder(), writeFileSync);
  expect(complaints).toEqual([]);
  expect(JSON.parse(answersOf(code))).toEqual(ANSWERS);
});

it('[D348] a program that only picks has at most 10 kB, compressed', async () => {
  const { code, complaints } = await bundledForBrowsers(PICKING, temporaryFolder(), writeFileSync);
  expect([complaints, answersOf(code)]).toEqual([[], '1.0.0']);
  expect(gzipSync(code).length).toBeLessThanOrEqual(10_000);
});

import { expect, it } from 'vitest';
import { yankText } from '../../../src/core/trust/yank-text.ts';
import { moduleId } from '../../support/ask.ts';

it.each([
  ['', '""'],
  ['loses points in rain', '"loses points in rain"'],
  ['two\nlines, "quoted"', String.raw`"two\nlines, \"quoted\""`],
])('[D165] the text of a yank for %j has one line for it', (reason, line) => {
  expect(yankText(moduleId('acme:lidar'), '1.4.0', reason)).toBe(
    `modreg/yank@1\nacme:lidar\n1.4.0\n${line}\n`,
  );
});

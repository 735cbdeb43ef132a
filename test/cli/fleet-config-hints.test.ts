import { expect, it } from 'vitest';
import { configResult } from '../../src/site/config-options.ts';

it('[D264] a revision that is not there is named with the command that lists those of its machine', () => {
  const error = { kind: 'unknown-config', detail: 'no revision 9', changes: [] } as const;
  expect(configResult({ ok: false, error }, 'rover-7')).toMatchObject({
    error: { hint: 'modreg fleet config history --machine rover-7 shows the revisions' },
  });
});

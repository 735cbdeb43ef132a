import { expect, it } from 'vitest';
import { playStorm } from './storm.ts';

it('[T180] [T184] no machine has a wrong list after a node that leads and a front were killed', async () => {
  const result = await playStorm({ machines: 100, publications: 60, modules: 5, spreadMs: 200 });
  const { pairs, wrong, findings } = result;
  expect({ pairs, wrong, findings }).toEqual({ pairs: 500, wrong: 0, findings: [] });
});

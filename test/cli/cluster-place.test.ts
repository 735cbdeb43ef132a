import { expect, it } from 'vitest';
import { printed } from '../support/command.ts';

const EXPECTED =
  'is not one of a node, such as nats://10.0.0.1:4222; several are separated by commas';

it.each([
  ['10.0.0.1:4222', 1],
  ['nats://10.0.0.1', 1],
  ['nats://10.0.0.1:4222,nats://10.0.0.2:99999', 2],
  ['nats://user:secret@10.0.0.1:4222', 1],
])('fleet check --nats %s names the address that cannot be used', async (nats, place) => {
  expect(await printed(['fleet', 'check', '--nats', nats])).toEqual({
    stdout: [],
    stderr: [`error[USAGE]: address ${place} of --nats ${EXPECTED}`],
    exit: 2,
  });
});

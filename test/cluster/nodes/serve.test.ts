import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/modreg.ts';
import { clusterInTest, frontInTest } from './in-test.ts';

interface Ended {
  readonly exit: unknown;
  readonly stderr: string;
}

/** How `modreg` ends with these arguments, by itself. */
async function ended(...args: readonly string[]): Promise<Ended> {
  const child = spawn(`${ROOT}bin/modreg`, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 20_000,
  });
  const [stderr, [exit]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { exit: exit as unknown, stderr };
}

it('[T242] a front whose port is in use ends, whenever its connection to the nodes opens', async () => {
  const cluster = await clusterInTest();
  const [front, other] = [await frontInTest(cluster), await frontInTest(cluster)];
  await other.kill();
  const { port } = new URL(front.address);
  for (let run = 0; run < 4; run++) {
    expect(
      await ended('fleet', 'serve', '--nats', cluster.servers, '--db', other.db, '--port', port),
    ).toEqual({
      exit: 2,
      stderr: `error[USAGE]: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE)\nhint: --port 0 selects a free port\n`,
    });
  }
});

it('says how to publish on a front', async () => {
  const { address, db, log } = await frontInTest(await clusterInTest());
  await expect
    .poll(log)
    .toContain(
      `note: publish with modreg registry publish <module_id> <version> --registry ${address}, which needs a token: modreg registry token create --name <name> --scope publish --db ${db}\n`,
    );
});

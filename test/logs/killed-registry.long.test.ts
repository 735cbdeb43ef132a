import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { secret } from '../../src/core/text/secret.ts';
import { Catalogue } from '../../src/server/index.ts';
import { skippingClock, type TestClock } from '../support/clock.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { append, deliveryOf, logWith, record, sending } from '../support/log-sending.ts';
import { radioLink } from '../support/radio-link.ts';
import { serve } from '../support/served-process.ts';
import { tokenFor } from '../support/token.ts';

/** Waits after failures, which are longer than those in which lines gather. */
const AFTER_A_FAILURE = [20_000, 1_000_000] as const;
/** Lines of an outage: more than one request has. */
const LINES = 1200;

/** The clock of a machine that tries again at once after each failure, and how often that was. */
function impatient(): { readonly clock: TestClock; readonly failures: () => number } {
  const clock = skippingClock();
  const [least, most] = AFTER_A_FAILURE;
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  void (async () => {
    while (!ending.signal.aborted) await clock.skip(least, most);
  })();
  return { clock, failures: () => clock.sleeps.filter((ms) => ms >= least && ms <= most).length };
}

it('[D309] [T711] after outages, and kills of its registry, each line of a machine is there once, in the order of its log', async () => {
  const db = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(db, { mode: 'create' });
  const authorization = secret(`Bearer ${tokenFor(catalogue, ['machine:rover-7'], 'rover-7')}`);
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['logs:read'], 'reader') };
  catalogue.close();
  let running = await serve(db);
  const { port } = new URL(running.address);
  const link = await radioLink(running.address);
  const written = Array.from({ length: 4 * LINES }, (_, place) => `line ${place}`);
  const path = logWith([record('line 0')]);
  const log = (from: number): void =>
    append(
      path,
      written.slice(Math.max(1, from), from + LINES).map((text) => record(text)),
    );
  const { clock, failures } = impatient();
  const { upload } = sending(path, clock);
  const headers = { authorization };
  const kill = async (): Promise<void> => {
    running.child.kill('SIGKILL');
    await once(running.child, 'exit');
  };
  const sentBut = async (most: number): Promise<void> =>
    await expect.poll(() => deliveryOf(path).waiting).toBeLessThanOrEqual(most);
  const failed = async (): Promise<void> => {
    const before = failures();
    await expect.poll(failures).toBeGreaterThan(before);
  };
  upload.follow({ ok: true, value: { endpoint: `${link.address}/v1/logs`, headers } });
  await sentBut(0);
  // The registry has these, and the machine does not know.
  link.loseAnswers();
  log(0);
  upload.wake();
  await failed();
  await kill();
  link.mend();
  log(LINES);
  await failed();
  running = await serve(db, '--port', port);
  await sentBut(2 * LINES - 2);
  // While it sends.
  log(2 * LINES);
  await kill();
  log(3 * LINES);
  running = await serve(db, '--port', port);
  await sentBut(0);
  const args = ['fleet', 'logs', '--machine', 'rover-7', '-n', '10000'];
  const { stdout } = await printed([...args, '--registry', running.address], { environment });
  expect(stdout.map((line) => line.split(' info  ')[1])).toEqual(written);
});

import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, readMachine } from '../../src/config/index.ts';
import { entrySetup } from '../../src/core/plan/entry-setup.ts';
import { moduleNamed } from '../support/claimed.ts';
import { homeAfter } from '../support/machine-home.ts';
import { inProcess } from '../support/in-process.ts';
import { entry } from '../support/planned.ts';
import { value } from '../support/reading.ts';
import { NOON, site } from '../support/site.ts';

const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');

function config(port: string): { readonly modules: readonly object[] } {
  return { modules: [{ ...entry('acme:lidar', '1.*', 'acme_lidar'), env: { PORT: port } }] };
}

/** What of the entry reaches its program. */
function setupWith(port: string): string {
  const machine = value(readMachine(JSON.stringify(config(port))));
  const [first] = machine.modules;
  if (!first) throw new Error('the config has no entry');
  return entrySetup(first, { machine, policy: DEFAULT_POLICY });
}

/** The last cell of the row of a plan, for a machine on which 1.2.9 failed with each of `ports`. */
async function planned(ports: readonly string[], now: string): Promise<string | undefined> {
  const folder = site({ machine: config(now), lists: { 'acme/lidar': ['1.2.9'] } });
  const home = homeAfter((state) => {
    state.report(LIDAR, null, 1);
    for (const port of ports) {
      const failure = { version: '1.2.9', reason: `no port ${port}`, running: null };
      const terms = { at: 2, quarantineUntil: undefined, setup: setupWith(port) };
      state.reportFailure(LIDAR, failure, terms);
    }
  });
  const args = ['plan', `${folder}/machine.json`, ...NOON].filter((arg) => arg !== 'REPORT');
  const { stdout } = await inProcess(args, { PLATFORM_HOME: home });
  const row = stdout.split('\n').find((line) => line.trim().startsWith('acme:lidar'));
  return row?.trim().replaceAll(/ {2,}/g, ' | ');
}

describe('[D82] modreg plan says that a release is tried again', () => {
  it.each<[string, readonly string[], string, string]>([
    [
      'after an edit',
      ['a'],
      'b',
      'acme:lidar | 1.* | none | 1.2.9 | 1.2.9 | install | not deployed yet; newest release of 1; the entry was edited since 1.2.9 failed; one more try, 1 of 3',
    ],
    [
      'after a third edit',
      ['a', 'b', 'c'],
      'd',
      'acme:lidar | 1.* | none | 1.2.9 | 1.2.9 | install | not deployed yet; newest release of 1; the entry was edited since 1.2.9 failed; one more try, 3 of 3',
    ],
    [
      'but not without one',
      ['a'],
      'a',
      'acme:lidar | 1.* | none | - | 1.2.9 | stuck | no release may be selected: 1 in quarantine',
    ],
  ])('%s', async (_, ports, now, expected) => {
    expect(await planned(ports, now)).toBe(expected);
  });
});

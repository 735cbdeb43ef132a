import { describe, expect, it } from 'vitest';
import type { World } from '../../src/base/world.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { plainServer } from '../../mocks/plain-server.ts';
import { THEN } from './support/examined.ts';
import { listAt, site } from './support/patient.ts';

type State = ReturnType<NonNullable<World['clockState']>>;

const HELD =
  'a release is not selected before its age is certain, because minimum_release_age is set';
const FIX =
  '                    fix: timedatectl set-ntp true; timedatectl timesync-status says whether it works; or use a registry over https; or set trust_clock to true in the policy if the clock is right';

describe('[D57] [T295] modreg doctor says if a minimum age is set and no time is certain', () => {
  it.each<[string, State, object, string[]]>([
    [
      'a clock that is not synchronized',
      'unsynchronized',
      { minimum_release_age: '3d' },
      [
        `warning  clock      this machine's clock says 2026-12-01T12:00:00Z, which is not synchronized, and no registry said over https what time it is: ${HELD}`,
        FIX,
      ],
    ],
    [
      'one that the policy does not trust',
      'synchronized',
      { minimum_release_age: '3d', trust_clock: false },
      [
        `warning  clock      this machine's clock says 2026-12-01T12:00:00Z, which the policy does not trust, and no registry said over https what time it is: ${HELD}`,
        FIX,
      ],
    ],
    ['one that it trusts', 'unsynchronized', { minimum_release_age: '3d', trust_clock: true }, []],
    ['no minimum age', 'unsynchronized', {}, []],
    ['nothing says whether it is right', 'unknown', { minimum_release_age: '3d' }, []],
  ])('%s', async (_, state, policy, warnings) => {
    const { address } = await plainServer(listAt(THEN));
    const folder = site(address, policy);
    const { stdout } = await printed(['doctor', `${folder}/machine.json`], {
      environment: { PLATFORM_HOME: `${folder}/home` },
      clock: () => THEN,
      clockState: () => state,
    });
    const lines = stdout.flatMap((text) => text.split('\n'));
    const at = lines.findIndex((line) => /^(ok|warning|error) +clock /.test(line));
    const found = lines.slice(at, at + 2).filter((line) => / (clock|fix:) /.test(line));
    expect(found.filter((line) => !line.startsWith('ok'))).toEqual(warnings);
  });
});

describe('[D57] [T295] a plan names the clock that is not certain, and what to do', () => {
  it.each<[State, object, string]>([
    ['unsynchronized', {}, "1.0.0: unknown age: this machine's clock is not synchronized"],
    ['unsynchronized', { trust_clock: true }, '1.0.0'],
    ['synchronized', { trust_clock: false }, '1.0.0: unknown age: the policy does not trust'],
  ])('%s, %j', async (state, policy, expected) => {
    const { address } = await plainServer((response) =>
      response
        .setHeader('content-type', 'application/json')
        .end(
          JSON.stringify({
            module_id: 'acme:lidar',
            generation: 1,
            count: 1,
            releases: [{ version: '1.0.0', published_at: '2026-01-01T00:00:00Z' }],
          }),
        ),
    );
    const folder = site(address, { minimum_release_age: '3d', ...policy });
    const deployed = `${temporaryFolder({ 'deployed.json': '{"acme_lidar": null}' })}/deployed.json`;
    const command = ['plan', `${folder}/machine.json`, '--deployed', deployed];
    const { stdout, stderr } = await printed(command, {
      environment: { PLATFORM_HOME: `${folder}/home` },
      clock: () => THEN,
      clockState: () => state,
    });
    expect([...stdout, ...stderr].join('\n')).toContain(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { modreg } from '../support/modreg.ts';
import { entry } from '../support/planned.ts';
import { NOON, site } from '../support/site.ts';

/** The cohorts of rover-7 are 0.12 with the salt s1, and 0.40 with s2. */
const ROVER = { PLATFORM_PART_ID: 'rover-7' };
const LISTS = {
  'acme/lidar': ['1.2.9', { version: '1.3.0', rollout: { salt: 's2', percent: 5, share: 0.05 } }],
  'acme/arm': ['1.2.9', { version: '1.3.0', rollout: { salt: 's1', percent: 50, share: 0.5 } }],
};
const EXCLUDED = 'cohort 0.40 is not below 0.05 (rollout at 5 %)';
const WITHOUT_ID = 'the machine has no id, so only 100 % include it (rollout at 5 %)';

function listsAt(): readonly string[] {
  return ['--registry', `${site({ machine: {}, lists: LISTS })}/lists`];
}

describe('modreg resolve', () => {
  it('D49 selects a release in rollout for a machine that it includes', () => {
    const { stdout } = modreg(['resolve', 'acme:arm', '1.*', ...listsAt()], ROVER);
    expect(stdout).toBe('1.3.0\n');
  });

  it.each([
    ['a machine that it excludes', ROVER, EXCLUDED],
    ['no machine', {}, WITHOUT_ID],
  ])('D49 explains why a rollout excludes %s', (_title, environment, words) => {
    const args = ['resolve', 'acme:lidar', '1.*', '--explain', ...listsAt()];
    const { stdout, stderr } = modreg(args, environment);
    expect(stdout).toContain(`\n  1.3.0  no   ${words}`);
    const { stdout: json } = modreg([...args, '--json'], environment);
    expect(JSON.parse(json)).toMatchObject({
      version: '1.2.9',
      latest: '1.3.0',
      refused: [{ version: '1.3.0', reason: 'not-in-rollout', detail: words }],
    });
    expect(stderr).toBe('');
  });

  it('D50 warns of a pin that bypasses the rollout', () => {
    const { stdout, stderr } = modreg(['resolve', 'acme:lidar', '1.3.0', ...listsAt()], ROVER);
    expect(stdout).toBe('1.3.0\n');
    expect(stderr).toBe(
      `warning[ROLLOUT_BYPASSED]: the pin bypasses the rollout of acme:lidar 1.3.0: ${EXCLUDED}\n`,
    );
  });
});

describe('modreg compare', () => {
  it('D50 does not refuse the deployed version', () => {
    const args = ['compare', 'acme:lidar', '--deployed', '1.3.0', '--json', ...listsAt()];
    const { types } = JSON.parse(modreg(args, ROVER).stdout) as { types: object[] };
    expect(types).toMatchObject(types.map(() => ({ version: '1.3.0', restarts: false })));
  });
});

describe('modreg plan', () => {
  it.each([
    ['now', []],
    ['D51 at another time: the list counts as confirmed then', NOON],
  ])('D49 decides for this machine, %s', (_title, options) => {
    const folder = site({
      machine: {
        modules: [
          entry('acme:lidar', '1.*'),
          entry('acme:arm', '1.*'),
          entry('acme:lidar', '1.3.0', 'rear'),
        ],
      },
      deployed: { acme_lidar: '1.2.3', acme_arm: '1.2.3', rear: '1.2.9' },
      lists: LISTS,
    });
    const args = ['plan', `${folder}/machine.json`, '--deployed', `${folder}/deployed.json`];
    const home = { ...ROVER, PLATFORM_HOME: temporaryFolder() };
    const { stdout } = modreg([...args, '--json', ...options], home);
    expect(JSON.parse(stdout)).toMatchObject({
      modules: [
        {
          target: '1.2.9',
          latest: '1.3.0',
          reason: `newest release of 1 that may be selected; 1.3.0 is refused: ${EXCLUDED}`,
        },
        { target: '1.3.0', reason: 'newest release of 1' },
        {
          target: '1.3.0',
          warnings: expect.arrayContaining([
            {
              code: 'ROLLOUT_BYPASSED',
              message: `the pin bypasses the rollout of 1.3.0: ${EXCLUDED}`,
            },
          ]) as unknown,
        },
      ],
    });
  });
});

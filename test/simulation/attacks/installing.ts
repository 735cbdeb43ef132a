import { key, signed } from '../../support/signed.ts';
import { evilFiles, type Attack, type Ground, type Holding } from './attack.ts';
import {
  DEPENDENCIES,
  evilRelease,
  lyingWith,
  TEMPTING,
  TWISTS,
  WRONG_SOFTWARE,
} from './forgery.ts';
import { keysOf, MODULE_IDS, numberOf, REGISTRY, type Module } from './site.ts';

function twisting(of: Attack['of'], twists: typeof TWISTS): Attack[] {
  return Object.entries(twists).flatMap(([what, twist]): Attack[] => [
    {
      of,
      what,
      holds: 'the key of the registry',
      isOfRegistry: true,
      begin: (ground) => ({
        lie: lyingWith(ground, { twist, modules: MODULE_IDS, isStolen: true }),
      }),
    },
    {
      of,
      what,
      holds: 'the network',
      begin: (ground) => ({
        lie: lyingWith(ground, { twist, modules: MODULE_IDS, isStolen: false }),
      }),
    },
  ]);
}

/** The version that a thief publishes: above all that the authors have. */
function nextOf({ site }: Ground, moduleId: Module): string {
  return `1.${Math.max(0, ...site.releases(moduleId).map((one) => numberOf(one.version))) + 1}.0`;
}

/** Publishes with the token. The status of the answer. */
async function published(
  ground: Ground,
  moduleId: Module,
  keys: readonly string[],
): Promise<number> {
  const { site, books } = ground;
  const { content, ...release } = evilRelease(moduleId, nextOf(ground, moduleId), ground);
  for (const name of keys) books.noteSigned({ moduleId, version: release.version, content }, name);
  const body = JSON.stringify(
    keys.length > 0 ? signed(moduleId, release, ...keysOf(keys)) : release,
  );
  const headers = { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' };
  const [namespace, name] = moduleId.split(':');
  const address = `${REGISTRY}/v1/modules/${namespace}/${name}/releases`;
  const { status } = await site.ask(new Request(address, { method: 'POST', headers, body }));
  site.note(moduleId);
  ground.note(`publishes ${moduleId} ${release.version}: ${status}`);
  return status;
}

/** Publishes with a token what the registry must refuse. */
function refusedPublication(
  what: string,
  holds: Holding,
  signers: (ground: Ground) => readonly [Module, readonly string[]],
): Attack {
  return {
    of: 'arbitrary installation',
    what,
    holds,
    async begin(ground) {
      const status = await published(ground, ...signers(ground));
      if (status !== 422) ground.complain('D146', `the registry answered ${status} to ${what}`);
      return { lie: evilFiles(ground) };
    },
  };
}

/** Attackers who want a machine to run their programs. */
export const INSTALLING: readonly Attack[] = [
  ...twisting('arbitrary installation', TWISTS),
  ...twisting('wrong software', WRONG_SOFTWARE),
  refusedPublication('publishes what nobody signed', 'a token', () => ['acme:lidar', []]),
  refusedPublication('publishes what a stranger signed', 'a token', () => [
    'nimbus:gps',
    ['stranger'],
  ]),
  refusedPublication(
    'publishes for another namespace',
    'a token and a key of another namespace',
    ({ site }) => ['acme:lidar', site.signers('*')],
  ),
  refusedPublication(
    'publishes an agent with the key of *',
    'a token and a key of another namespace',
    ({ site }) => ['platform:agent', site.signers('*')],
  ),
  {
    of: 'arbitrary installation',
    what: 'publishes what one of two keys signed',
    holds: 'a token and one of two keys',
    async begin(ground) {
      await published(ground, 'duo:arm', ground.site.signers('duo').slice(0, 1));
      return { lie: evilFiles(ground), end: () => ground.site.rotate('duo') };
    },
  },
  {
    of: 'arbitrary installation',
    what: 'signs twice with one of two keys',
    holds: 'the key of the registry',
    isOfRegistry: true,
    begin: (ground) => ({
      lie: lyingWith(ground, {
        isStolen: true,
        modules: ['duo:arm'],
        twist: (list, moduleId, { books, site }) => {
          const { content, ...evil } = evilRelease(moduleId, TEMPTING, ground);
          const [one = '', other = ''] = site.signers('duo');
          books.noteSigned({ moduleId, version: TEMPTING, content }, one);
          const [signature = ''] = Object.values(signed(moduleId, evil, key(one)).signatures);
          const signatures = { [key(one).id]: signature, [key(other).id]: signature };
          const releases = [...list.releases, { ...evil, signatures }];
          return { ...list, count: releases.length, releases };
        },
      }),
      end: () => ground.site.rotate('duo'),
    }),
  },
  ...([true, false] as const).map((isStolen): Attack => ({
    of: 'extraneous dependencies',
    what: 'a list with dependencies and scripts',
    holds: isStolen ? 'the key of the registry' : 'the network',
    isOfRegistry: isStolen,
    begin: (ground) => ({
      lie: lyingWith(ground, { twist: DEPENDENCIES, modules: MODULE_IDS, isStolen }),
    }),
  })),
  {
    of: 'key compromise',
    what: 'publishes with a stolen key, which is removed then',
    holds: 'a token and the key of a namespace',
    async begin(ground) {
      await published(ground, 'acme:lidar', ground.site.signers('acme'));
      ground.tell(evilFiles(ground));
      await ground.pass(10 * 60_000);
      return {
        lie: evilFiles(ground),
        end: () => {
          ground.site.rotate('acme');
          ground.site.publish('acme:lidar');
        },
      };
    },
  },
  {
    of: 'key compromise',
    what: 'signs releases with a key that was removed',
    holds: 'a removed key of a namespace',
    isOfRegistry: true,
    async begin(ground) {
      const { site } = ground;
      const old = site.signers('acme');
      site.rotate('acme');
      // The machine hears of it.
      await ground.pass(10 * 60_000);
      return {
        lie: lyingWith(ground, {
          isStolen: true,
          modules: ['acme:lidar'],
          twist: (list, moduleId, { books }) => {
            const { content, ...evil } = evilRelease(moduleId, TEMPTING, ground);
            for (const name of old)
              books.noteSigned({ moduleId, version: TEMPTING, content }, name);
            const releases = [...list.releases, signed(moduleId, evil, ...keysOf(old))];
            return { ...list, count: releases.length, releases };
          },
        }),
      };
    },
  },
];

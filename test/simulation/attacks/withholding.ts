import {
  isOfList,
  publishAll,
  publishedUnder,
  recorded,
  replaying,
  resigning,
  type Attack,
} from './attack.ts';
import { lyingWith } from './forgery.ts';
import { MODULE_IDS, type Module } from './site.ts';
import type { Lie } from './wire.ts';

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const JSON_TYPE = { 'content-type': 'application/json' };

/** A pace that the client gives up for its rate, and one that it gives up for its time or its bytes. */
const PACES = {
  'a byte in three seconds': { bytes: 1, everyMs: 3000 },
  '4 KiB in three seconds': { bytes: 4096, everyMs: 3000 },
} as const;

function isSigned(about: string): boolean {
  return about === 'changes' || isOfList(about);
}

/** Attackers who keep releases from a machine, or keep it busy. */
export const WITHHOLDING: readonly Attack[] = [
  ...(['changes', 'list', 'file'] as const).map((part): Attack => ({
    of: 'endless data',
    what: `an answer without an end: ${part}`,
    holds: part === 'file' ? 'a mirror of the files' : 'the network',
    begin: async (ground) =>
      await publishedUnder(ground, async ({ about }) => {
        const isMeant = about.startsWith(part);
        return await Promise.resolve(isMeant ? ground.endless(part === 'file') : undefined);
      }),
  })),
  ...([1000, 400_000] as const).map((ahead): Attack => ({
    of: 'fast-forward',
    what: `numbers that are ${ahead} ahead`,
    holds: 'the key of the registry',
    isOfRegistry: true,
    begin: (ground) => ({
      lie: lyingWith(ground, { twist: (list) => list, modules: MODULE_IDS, isStolen: true, ahead }),
    }),
  })),
  {
    of: 'indefinite freeze',
    what: 'repeats all answers',
    holds: 'the network',
    isNoticed: true,
    async begin(ground) {
      const known = await recorded(ground);
      return { lie: replaying(isSigned, known) };
    },
  },
  {
    of: 'indefinite freeze',
    what: 'says for three hours that nothing has changed',
    holds: 'the network',
    isNoticed: true,
    async begin(ground) {
      const known = await recorded(ground);
      const begun = await publishedUnder(
        ground,
        replaying((about) => about === 'changes', known),
      );
      await ground.pass(3 * HOUR);
      return begun;
    },
  },
  {
    of: 'indefinite freeze',
    what: 'signs old lists',
    holds: 'the key of the registry',
    isOfRegistry: true,
    async begin(ground) {
      return await publishedUnder(ground, resigning(ground, await recorded(ground)));
    },
  },
  {
    of: 'malicious mirror',
    what: 'one list is old',
    holds: 'the network',
    isNoticed: true,
    async begin(ground) {
      const known = await recorded(ground);
      const lie = replaying((about) => about === 'list acme:lidar', known);
      const begun = await publishedUnder(ground, lie);
      return { ...begun, spares: ['duo:arm', 'nimbus:gps', 'platform:agent'] };
    },
  },
  {
    of: 'malicious mirror',
    what: 'files of the same size with another content',
    holds: 'a mirror of the files',
    begin: () => ({ lie: changedFiles }),
  },
  {
    of: 'malicious mirror',
    what: 'files that are missing, and signatures as well',
    holds: 'the network',
    isNoticed: true,
    begin: () => ({
      lie: async ({ about, url, ask }) => {
        if (about === 'file') return { status: 404, headers: {}, body: '' };
        if (about === 'wait' || about === 'trust') return undefined;
        const { headers, ...rest } = await ask(`${url.pathname}${url.search}`);
        const { 'modreg-signature': _, ...others } = headers;
        return { ...rest, headers: others };
      },
    }),
  },
  {
    of: 'mix-and-match',
    what: 'lists of different times',
    holds: 'the network',
    isNoticed: true,
    async begin(ground) {
      const known = await recorded(ground);
      const some = [...known].filter((_, number) => number % 2 === 0);
      publishAll(ground);
      const mixed = new Map([...(await recorded(ground)), ...some]);
      return await publishedUnder(ground, replaying(isOfList, mixed));
    },
  },
  {
    of: 'mix-and-match',
    what: 'old lists under what has changed since',
    holds: 'the key of the registry',
    isOfRegistry: true,
    async begin(ground) {
      const known = await recorded(ground);
      known.delete('changes');
      return await publishedUnder(ground, resigning(ground, known));
    },
  },
  ...(['the network', 'the key of the registry'] as const).map((holds): Attack => ({
    of: 'rollback',
    what: 'old lists for a machine that lost its disk',
    holds,
    isOfRegistry: holds === 'the key of the registry',
    isNoticed: holds === 'the network',
    async begin(ground) {
      const known = await recorded(ground);
      const isStolen = holds === 'the key of the registry';
      const lie = isStolen ? resigning(ground, known) : replaying(isSigned, known);
      const begun = await publishedUnder(ground, lie);
      await ground.machine.loseDisk();
      return begun;
    },
  })),
  {
    of: 'rollback',
    what: 'yanks what runs, without an author',
    holds: 'a token',
    async begin(ground) {
      await ground.pass(5 * 60_000);
      for (const [moduleId, version] of ground.machine.running) {
        ground.site.yank(moduleId as Module, version, false);
        ground.note(`yanks ${moduleId} ${version}`);
      }
      // The authors publish what they want to run.
      return { end: () => publishAll(ground) };
    },
  },
  ...(['changes', 'list', 'file'] as const).map((part): Attack => ({
    of: 'slow retrieval',
    what: `an answer that never begins: ${part}`,
    holds: part === 'file' ? 'a mirror of the files' : 'the network',
    isNoticed: part !== 'file',
    begin: async (ground) =>
      await publishedUnder(ground, async ({ about, hang }) =>
        about.startsWith(part) ? await hang() : undefined,
      ),
  })),
  ...(['changes', 'list', 'trust', 'file'] as const).flatMap((part) =>
    Object.entries(PACES).map(([what, pace]): Attack => ({
      of: 'slow retrieval',
      what: `${what}, without an end: ${part}`,
      holds: part === 'file' ? 'a mirror of the files' : 'the network',
      isNoticed: part !== 'file',
      begin: async (ground) => {
        const lie: Lie = async ({ about }) =>
          await Promise.resolve(
            about.startsWith(part) ? ground.endless(part === 'file', pace) : undefined,
          );
        // The machine asks for the trust document when an answer names a later one.
        if (part === 'trust') ground.site.rotate('acme');
        return await publishedUnder(ground, lie);
      },
    })),
  ),
  {
    of: 'key compromise',
    what: 'signs old answers with a key that was removed',
    holds: 'a removed key of the registry',
    isNoticed: true,
    async begin(ground) {
      const { site } = ground;
      const [old = ''] = site.signers('registry');
      site.rotate('registry');
      await ground.pass(10 * 60_000);
      return await publishedUnder(
        ground,
        resigning(ground, await recorded(ground), { keyName: old }),
      );
    },
  },
  {
    of: 'expired keys',
    what: 'hides the version that follows an expired one',
    holds: 'the network',
    isNoticed: true,
    async begin(ground) {
      ground.setClock(ground.now() + 3 * YEAR);
      ground.note('the keys expire, and no later version reaches the machine');
      return {
        lie: async ({ about }) => {
          const none = { status: 200, headers: JSON_TYPE, body: '{"documents":[]}' };
          return await Promise.resolve(about === 'trust' ? none : undefined);
        },
        end: () => ground.setClock(ground.now() - 3 * YEAR),
      };
    },
  },
];

/** Each byte of a file is another one. */
const changedFiles: Lie = async ({ about, url, ask }) => {
  if (about !== 'file') return undefined;
  const answer = await ask(url.href);
  return { ...answer, body: answer.body.replaceAll('good', 'evil') };
};

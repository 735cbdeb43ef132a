import {
  evilFiles,
  isOfList,
  publishedUnder,
  recorded,
  resigning,
  type Attack,
  type Ground,
} from './attack.ts';
import { lyingWith, TWISTS } from './forgery.ts';
import { MODULE_IDS } from './site.ts';
import type { Lie } from './wire.ts';

/** One of two fronts, of which a balancer chooses any for each request. */
function someOf({ chance }: Ground, front: Lie): Lie {
  return async (asked) => (chance.is(0.5) ? await front(asked) : undefined);
}

/** One of two fronts that take turns, so that a question which is asked again reaches the other one. */
function everySecond(front: Lie): Lie {
  let requests = 0;
  return async (asked) => (requests++ % 2 === 0 ? await front(asked) : undefined);
}

/** A front that no majority acknowledges: it answers no nonce, and serves lists on (D168). */
function withoutMajority(known: Awaited<ReturnType<typeof recorded>>): Lie {
  return async ({ about, url, hang }) => {
    if (about === 'wait') return await hang();
    if (about !== 'changes' && !isOfList(about)) return undefined;
    if (!url.searchParams.has('nonce')) return known.get(about);
    const body = '{"title":"this front cannot reach a majority of its cluster"}';
    const headers = { 'content-type': 'application/problem+json', 'retry-after': '5' };
    return { status: 503, headers, body };
  };
}

async function cutOff(ground: Ground, front: (one: Lie) => Lie): ReturnType<typeof publishedUnder> {
  const known = await recorded(ground);
  // The other fronts go on with other keys of authors, of which this one does not hear.
  ground.site.rotate('acme');
  return await publishedUnder(ground, front(withoutMajority(known)));
}

/** Fronts of a cluster, behind one address, of which some are not as the others. */
export const FRONTS: readonly Attack[] = [
  {
    of: 'malicious mirror',
    what: 'one of two fronts answers no nonce, and has old lists',
    holds: 'nothing: a front of the cluster is cut off',
    begin: async (ground) => {
      const begun = await cutOff(ground, everySecond);
      return { ...begun, spares: MODULE_IDS };
    },
  },
  {
    of: 'indefinite freeze',
    what: 'no front answers a nonce, and all have old lists',
    holds: 'nothing: a front of the cluster is cut off',
    isNoticed: true,
    begin: async (ground) => await cutOff(ground, (front) => front),
  },
  {
    of: 'mix-and-match',
    what: 'one of two fronts has an older trust document, and lists of that time',
    holds: 'a front of the cluster, and its key',
    async begin(ground) {
      const { site } = ground;
      const [known, version] = [await recorded(ground), site.trustVersion()];
      site.rotate('acme');
      // The machine hears of it.
      await ground.pass(10 * 60_000);
      return await publishedUnder(ground, someOf(ground, resigning(ground, known, { version })));
    },
  },
  ...Object.entries(TWISTS).map(([what, twist]): Attack => ({
    of: 'arbitrary installation',
    what: `one of two fronts has ${what}`,
    holds: 'a front of the cluster, and its key',
    isOfRegistry: true,
    begin: (ground) => {
      const files = evilFiles(ground);
      const lie = lyingWith(ground, { twist, modules: MODULE_IDS, isStolen: true, ahead: 1000 });
      const front = someOf(ground, lie);
      return { lie: async (asked) => (await files(asked)) ?? (await front(asked)) };
    },
  })),
];

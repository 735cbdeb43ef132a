import { unlessAborted } from '../../../src/registry/unless-aborted.ts';
import type { VirtualClock } from '../../../src/testing/index.ts';
import type { Work } from '../attacks/work.ts';
import type { Chances } from './life.ts';
import type { Site } from './site.ts';

/** What becomes of an answer on its way; undefined if it arrives as it is. */
type Lie = (about: string, answer: Response) => Promise<Response | undefined>;

/** The link of a rover to its site. */
export interface Radio {
  /** Requests to the site; `isCut` says whether the machine itself has no network. */
  readonly fetchFor: (isCut: () => boolean) => typeof globalThis.fetch;
  readonly cut: () => void;
  readonly mend: () => void;
  lie: Lie | undefined;
}

interface Parts {
  readonly clock: VirtualClock;
  readonly work: Work;
  readonly chances: Chances;
}

function broken(): TypeError {
  return new TypeError('fetch failed', { cause: new Error('connect ENETUNREACH') });
}

export function radioTo(site: Site, { clock, work, chances }: Parts): Radio {
  let online = new AbortController();
  const answered = async (request: Request, isCut: () => boolean): Promise<Response> => {
    const { signal } = online;
    const about = aboutOf(new URL(request.url));
    const chance = chances(`radio ${about}`);
    const pass = async (): Promise<void> => {
      await work.waiting(async () => await clock.sleep(chance.between(20, 400), request.signal));
      if (isCut() || signal.aborted) throw broken();
    };
    await pass();
    const either = AbortSignal.any([request.signal, signal]);
    const asked = site.ask(new Request(request, { signal: either }));
    const answer = await unlessAborted(signal, asked).catch((error: unknown) => {
      throw signal.aborted ? broken() : error;
    });
    const body = await answer.arrayBuffer();
    await pass();
    const { status, headers } = answer;
    const whole = new Response(body.byteLength === 0 ? null : body, { status, headers });
    return (await radio.lie?.(about, whole.clone())) ?? whole;
  };
  const radio: Radio = {
    lie: undefined,
    fetchFor: (isCut) => async (input, init) => {
      const request = new Request(input, init);
      const answer = work.during(async () => await answered(request, isCut));
      return await work.waiting(async () => await unlessAborted(request.signal, answer));
    },
    cut: () => online.abort(),
    mend() {
      online = new AbortController();
    },
  };
  return radio;
}

/** What a request is about, in a word. */
export function aboutOf({ pathname, searchParams }: URL): string {
  const [, , kind = '', , of = '', what = ''] = pathname.split('/');
  if (kind === 'machines') return what === '' ? of : `${of} ${what}`;
  if (kind === 'changes' && searchParams.has('wait')) return 'wait';
  return kind;
}

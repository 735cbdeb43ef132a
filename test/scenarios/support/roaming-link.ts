import { onTestFinished, vi } from 'vitest';
import { networkFailure } from '../../../mocks/network-failure.ts';
import type { AgentEvent } from '../../../src/agent/event.ts';
import {
  ONLINE,
  roam,
  type Observation,
  type RoamingState,
} from '../../../src/agent/system/roaming.ts';
import type { Clock } from '../../../src/registries/index.ts';

/** Simulated networks by SSID, the highest priority first. */
export type Networks = Readonly<
  Record<
    string,
    {
      /** What it leads to. */
      readonly connectivity: 'full' | 'portal' | 'limited';
      /** Whether it is in range, `hour` hours after the start of the simulation. */
      readonly isNear: (hour: number) => boolean;
    }
  >
>;

/** The link of a simulated machine. It replaces `fetch`: requests arrive only while there is internet. */
interface RoamingLink {
  /** Whether a request is on its way. */
  readonly isBusy: () => boolean;
  /** Looks for internet, and says when it begins and ends; for as long as the clock runs. */
  roam(onChange: (isOnline: boolean) => void): Promise<never>;
}

type Connectivity = Observation['connectivity'];

const HOUR = 3_600_000;
const WHILE_ONLINE_MS = 60_000;
const WHILE_OFFLINE_MS = 30_000;

export function roamingLink({
  networks,
  clock,
  onEvent,
}: {
  readonly networks: Networks;
  readonly clock: () => Clock;
  readonly onEvent: (event: AgentEvent & { readonly kind: 'network' }) => void;
}): RoamingLink {
  let active: string | undefined;
  let requests = 0;
  const connectivity = (): Connectivity =>
    (active === undefined ? undefined : networks[active]?.connectivity) ?? 'none';
  const isNear = (ssid: string): boolean =>
    networks[ssid]?.isNear(clock().monotonic() / HOUR) ?? false;
  // A failure is said once, as by the agent.
  const failed = new Set<string>();
  const connect = (ssid: string): void => {
    if (isNear(ssid)) {
      active = ssid;
      failed.delete(ssid);
      onEvent({ kind: 'network', change: 'connect', ssid, reason: undefined });
    } else if (!failed.has(ssid)) {
      failed.add(ssid);
      onEvent({ kind: 'network', change: 'connect', ssid, reason: 'it is not in range' });
    }
  };
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (request: Request) => {
    requests++;
    try {
      return await through(connectivity(), request, fetch);
    } finally {
      requests--;
    }
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return {
    isBusy: () => requests > 0,
    async roam(onChange) {
      let state: RoamingState = ONLINE;
      let wasOnline: boolean | undefined;
      for (;;) {
        if (active !== undefined && !isNear(active)) active = undefined;
        const seen = { connectivity: connectivity(), active: connections(active) };
        const terms = { networks: Object.keys(networks), hotspot: undefined };
        const step = roam(state, seen, terms, clock().monotonic());
        state = step.state;
        if (step.command) connect(step.command.uuid);
        const isOnline = connectivity() === 'full';
        if (isOnline !== wasOnline) onChange(isOnline);
        wasOnline = isOnline;
        await clock().sleep(isOnline ? WHILE_ONLINE_MS : WHILE_OFFLINE_MS);
      }
    },
  };
}

function connections(active: string | undefined): Observation['active'] {
  return active === undefined ? [] : [{ uuid: active, isUp: true, isPhysical: true }];
}

async function through(
  connectivity: Connectivity,
  request: Request,
  fetch: typeof globalThis.fetch,
): Promise<Response> {
  if (connectivity === 'portal') {
    return new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } });
  }
  if (connectivity !== 'full') {
    throw networkFailure('ENETUNREACH');
  }
  const response = await fetch(request);
  // Nothing of it is on its way any more.
  const { status, headers } = response;
  const body = await response.text();
  return new Response(body === '' ? null : body, { status, headers });
}

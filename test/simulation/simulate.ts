import { settingsOf, conditionsOf, ownTermsOf, registriesOf } from './beginnings.ts';
import { install } from './first-deployment.ts';
import { chanceOf } from './chance.ts';
import { crashPoints, crashPointOf, hearRejections, Killed } from './crash-points.ts';
import type { ProcessControl } from './configuring.ts';
import { checkRunning, checkWholeDisk, decisionsOn } from './disk-check.ts';
import { diskOf } from './disk.ts';
import { happen, incidentsOf, meanwhileOf, type Incident } from './incidents.ts';
import type { Violation } from './judge-context.ts';
import { endingAt, heal, isSettled } from './ending.ts';
import { judgeOf } from './judge.ts';
import { blankLedger } from './ledger.ts';
import { begin, type Life } from './life.ts';
import { clearLink } from './network.ts';
import { letHttpThrough } from './http-globals.ts';
import { httpWire } from './http-wire.ts';
import type { LoopbackServer } from './loopback-server.ts';
import { sealGlobals } from './sealed-globals.ts';
import { timeline } from './timeline.ts';
import { traceOf } from './trace.ts';
import { blankHost, killProcesses } from './host.ts';
import { operatingOf } from './operating.ts';
import { standingIn } from './statuses.ts';
import { forgetUnsaved } from './watched-lists.ts';
import { playOn } from './play-on.ts';
import { simulatedWire } from './wire.ts';
import { suspectedIn } from './unclean-starts.ts';
import type { World } from './world.ts';
import { season, seasonsOf, worldlyOf } from './worldly.ts';

export interface Play {
  readonly seed: number;
  /** Number of incidents; 25 by default. */
  readonly incidents?: number | undefined;
  /** The numbers of the incidents to play; all by default. */
  readonly only?: readonly number[] | undefined;
  readonly keepsLines?: boolean | undefined;
  /** Modreg's own agent runs the machine. */
  readonly agent?: boolean | undefined;
  /** The server that carries each exchange over HTTP; without it, the exchanges are simulated. */
  readonly server?: LoopbackServer | undefined;
}

export interface Outcome {
  readonly seed: number;
  readonly events: number;
  readonly hash: string;
  /** How long the machine lived, in milliseconds of the virtual clock. */
  readonly elapsed: number;
  readonly violation: Violation | undefined;
  readonly crashes: readonly string[];
  readonly incidents: readonly Incident[];
  readonly lines: readonly string[];
  /** The last logged decision of each target. */
  readonly decisions: readonly string[];
}

const INCIDENTS = 25;
const MINUTE = 60_000;
const LONGEST_STOP_MS = 5000;
/** Modules end in several layers, each within ten seconds. */
const LONGEST_AGENT_STOP_MS = 60_000;

/** Plays one seed until the machine is settled, or an invariant is broken. */
export async function simulate(play: Play): Promise<Outcome> {
  const stage = stageOf(play);
  const { world } = stage;
  const unseal = sealGlobals(world.line.elapsed);
  hearRejections(world.complain);
  const closeHttp = stage.openHttp();
  const { stackTraceLimit } = Error;
  // Stack traces cost more than most plays.
  if (!play.keepsLines) Error.stackTraceLimit = 0;
  try {
    stage.boot();
    await stage.run(() => stage.isOver());
    if (!stage.world.isBroken()) {
      stage.heal();
      await stage.run(() => stage.isSettled());
    }
    for (let number = 0; number < stage.seasons && !world.isBroken(); number++) {
      await stage.run(stage.season(number));
      stage.heal();
      await stage.run(() => stage.isSettled());
    }
    return stage.outcome();
  } finally {
    await world.wire.close();
    closeHttp();
    Error.stackTraceLimit = stackTraceLimit;
    unseal();
  }
}

interface Stage {
  readonly world: World;
  /** Lets real HTTP through the sealed globals, if the play uses it, until the returned function is called. */
  readonly openHttp: () => () => void;
  readonly boot: () => void;
  readonly run: (isEnd: () => boolean) => Promise<void>;
  readonly isOver: () => boolean;
  readonly heal: () => void;
  readonly isSettled: () => boolean;
  /** How many there are, after the world was mended. */
  readonly seasons: number;
  /** Begins a season. The result tells when it is over. */
  readonly season: (number: number) => () => boolean;
  readonly outcome: () => Outcome;
}

function stageOf({
  seed,
  incidents: count = INCIDENTS,
  only,
  keepsLines = false,
  agent: isOwnAgent = false,
  server,
}: Play): Stage {
  const point = crashPointOf(seed, isOwnAgent);
  const chance = chanceOf(seed, 'beginning');
  const line = timeline(chanceOf(seed, 'order'));
  const trace = traceOf(line, keepsLines);
  const ledger = blankLedger();
  const crashes: string[] = [];
  let violation: Violation | undefined;
  const complain = (invariant: string, found: string): void => {
    violation ??= { invariant, found };
  };
  const http = server && httpWire(server, { line, complain });
  const points = crashPoints((reached) => {
    crashes.push(reached);
    control.kill(reached);
  });
  const ordinary = settingsOf(chance, point);
  const own = isOwnAgent ? ownTermsOf(chanceOf(seed, 'own agent'), ordinary) : undefined;
  const settings = { ...ordinary, ...own?.settings };
  const sites = registriesOf(chance, line.wall(), settings).map((registry) => ({
    registry,
    link: clearLink(),
  }));
  const disk = diskOf(`s${seed}x0`);
  const { acknowledgeWithinMs } = settings;
  const world: World = {
    isBroken: () => violation !== undefined,
    seed,
    line,
    wire: http ?? simulatedWire,
    trace,
    points,
    ledger,
    sites,
    complain,
    disk,
    judge: judgeOf({
      ledger,
      moment: line.moment,
      complain,
      acknowledgeWithinMs,
      suspected: () => suspectedIn(world),
      standing: () => standingIn(world),
    }),
    settings,
    conditions: { ...conditionsOf(chance, point), ...own?.conditions },
    host: isOwnAgent ? blankHost() : undefined,
    running: new Map(),
    effects: new Set(),
    strays: new Set(),
  };
  let life: Life | undefined;
  let lives = 0;
  const begun: Life[] = [];
  let isHealed = false;
  const boot = (): void => {
    lives++;
    trace.note(`start ${lives}`);
    life = begin(world, lives, control.kill);
    begun.push(life);
    life.start();
  };
  const control: ProcessControl = {
    kill(why) {
      if (!life?.isAlive) return;
      life.isAlive = false;
      trace.note(`killed ${why}`);
      killProcesses(world, life);
      forgetUnsaved(world);
      line.after(0, () => checkWholeDisk(world));
      line.after(isHealed ? 1000 : chance.one([0, 1000, 10_000, 5 * MINUTE]), boot);
    },
    losePower() {
      world.host?.processes.clear();
      control.kill('by a power loss');
      world.disk.losePower();
    },
    loseDisk() {
      world.disk.lose(`s${seed}x${lives}`);
      world.host?.packages.clear();
      world.host?.proven.clear();
      for (const map of [
        ledger.known,
        ledger.open,
        ledger.restarts,
        ledger.quarantine,
        ledger.requests,
      ])
        map.clear();
      for (const map of [ledger.holds, ledger.wishes, ledger.heldSince]) map.clear();
      for (const one of [ledger.files, ledger.endured]) one.clear();
      const { accepted, firstDigests, firstSights, moves } = ledger;
      for (const map of [accepted, firstDigests, firstSights, moves]) map.clear();
      ledger.starts = [];
    },
    look: () => life?.isAlive && life.poller.look(),
    restart() {
      const ending = life;
      if (!ending?.isAlive) return;
      void stop(ending, world, () => {
        if (ending === life) control.kill('after it stopped');
      });
    },
  };
  install(world, chance);
  const incidents = incidentsOf(
    chanceOf(seed, 'incidents'),
    chanceOf(seed, 'later incidents'),
    count,
    settings.intervalMs * chance.one([0.2, 0.5, 1, 1, 3]),
    point,
  );
  const last = Math.max(0, ...incidents.map(({ at }) => at));
  if (isOwnAgent) {
    incidents.push(...meanwhileOf(chanceOf(seed, 'meanwhile'), count, last));
    incidents.push(...worldlyOf(chanceOf(seed, 'world'), count, last));
    incidents.push(...operatingOf(chanceOf(seed, 'operating'), count, last));
  }
  for (const [number, incident] of incidents.entries()) {
    if (only && !only.includes(number)) continue;
    line.after(incident.at, () => {
      const effect = happen(world, incident, chanceOf(seed, `incident ${number}`), control);
      if (effect !== undefined) trace.note(`(${number}) ${incident.kind}: ${effect}`);
    });
  }
  let ending = endingAt(world);
  return {
    world,
    openHttp: () => (http ? letHttpThrough(http.timers) : () => undefined),
    boot,
    run: async (isEnd) => await playOn(world, () => violation !== undefined || isEnd()),
    isOver: () => line.elapsed() > last + world.settings.intervalMs,
    heal() {
      isHealed = true;
      heal(world);
      ending = endingAt(world);
    },
    isSettled: () => isSettled(world, ending),
    seasons: isOwnAgent ? seasonsOf(chanceOf(seed, 'seasons')) : 0,
    season: (number) => season(world, chanceOf(seed, `season ${number}`)),
    outcome: () => {
      for (const one of begun) end(one);
      if (!world.isBroken()) {
        checkWholeDisk(world);
        if (!world.host) checkRunning(world);
      }
      return {
        seed,
        violation,
        crashes,
        incidents,
        lines: trace.lines,
        events: trace.count(),
        hash: trace.hash(),
        elapsed: line.elapsed(),
        decisions: decisionsOn(world),
      };
    },
  };
}

async function stop(life: Life, { line, complain, host }: World, onEnd: () => void): Promise<void> {
  life.isEnding = true;
  const began = line.elapsed();
  try {
    await life.stop();
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
  const took = line.elapsed() - began;
  if (took > (host ? LONGEST_AGENT_STOP_MS : LONGEST_STOP_MS))
    complain('T59', `it took ${took} ms to stop`);
  onEnd();
}

/** Stops the poller: Node keeps a signal with listeners, and all that it references, until the signal is aborted. */
function end(life: Life): void {
  life.isAlive = false;
  life.poller.stop().catch(() => undefined);
}

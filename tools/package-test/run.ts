/* Installs and runs modreg as its users do: `npm run test:package`. */
import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Machine } from './machine.ts';
import { newProject, type Project } from './project.ts';
import { openSite, type Site } from './site.ts';

/** Where an agent is killed: after a line that it prints, or while it downloads. In the order in which it gets there. */
const KILLS = [
  '2 committed',
  '2 delivered',
  'download',
  '1 module: downloaded 1.1.0',
  '1 module: started 1.1.0',
  '1 module: deployed 1.1.0',
  '2 acknowledged',
  '1 module: 1.2.0 failed its trial',
  '3 acknowledged',
  '2 module: started 1.1.0',
] as const;

const LASTING = '[ "$GREETING" = hello ] && exec sleep 1000';
const CRASHING = 'exit 3';
/** Passes its trial of a second. */
const CRASHING_LATER = 'sleep 2; exit 4';

const CONCURRENT = 8;

interface Case {
  readonly title: string;
  readonly node: string;
  readonly script: string;
  readonly kill: string | undefined;
}

const folder = mkdtempSync(join(tmpdir(), 'modreg-package-'));
try {
  const project = await newProject(folder);
  const site = await openSite(folder, project.server);
  const cases = casesOf(project);
  const failed = await failuresOf(cases, site);
  await site.close();
  console.log(`${cases.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** Each build on each Node without a kill, then each kill, with the builds and Nodes in turn. */
function casesOf({ builds, nodes }: Project): Case[] {
  const agents = builds.flatMap(({ name, script }) =>
    nodes.map(({ version, path }) => ({ name: `${name} on Node ${version}`, node: path, script })),
  );
  const whole = agents.map((agent) => ({ ...agent, title: agent.name, kill: undefined }));
  const killed = KILLS.flatMap((kill, place) => {
    const agent = agents[place % agents.length];
    return agent ? [{ ...agent, title: `${agent.name}, killed after ${kill}`, kill }] : [];
  });
  return [...whole, ...killed];
}

async function failuresOf(cases: readonly Case[], site: Site): Promise<number> {
  const left = cases.entries();
  let failed = 0;
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      for (const [number, one] of left) {
        const problem = await problemOf(one, number, site);
        console.log(`${problem === undefined ? 'passed' : 'FAILED'}  ${one.title}`);
        if (problem !== undefined) console.log(problem);
        if (problem !== undefined) failed += 1;
      }
    }),
  );
  return failed;
}

/** Why a machine does not end as it must, with the output of its agents; undefined if it does. */
async function problemOf(one: Case, number: number, site: Site): Promise<string | undefined> {
  const moduleId = `acme:m${number}`;
  const machine = new Machine({
    ...one,
    folder: join(folder, `machine-${number}`),
    moduleId,
    registry: site.registry,
    killAfter: one.kill === 'download' ? undefined : one.kill,
  });
  const publish: Publish = (version, program) => site.publish(moduleId, version, program);
  if (one.kill === 'download') {
    site.interruptOnce(moduleId, '1.1.0', () => void machine.killWhileWriting('1.1.0'));
  }
  try {
    await upgradeAndRollBack(machine, publish);
    deepStrictEqual(machine.kills, one.kill === undefined ? 0 : 1, 'kills');
    if (one.kill === undefined) {
      await crashLater(machine, publish);
      await startAgain(machine);
    }
    deepStrictEqual(await machine.stop(), 0, 'exit code');
    await machine.runs([]);
    return undefined;
  } catch (error) {
    return [String(error), ...machine.lines('')].join('\n');
  } finally {
    await machine.stop();
    machine.killModules();
  }
}

type Publish = (version: string, program: string) => void;

async function upgradeAndRollBack(machine: Machine, publish: Publish): Promise<void> {
  publish('1.0.0', LASTING);
  machine.start();
  await machine.printed('acknowledged', 1);
  await machine.runs(['1.0.0']);
  publish('1.1.0', LASTING);
  await machine.printed('acknowledged', 2);
  publish('1.2.0', CRASHING);
  await machine.printed('acknowledged', 4);
  await machine.runs(['1.1.0']);
  deepStrictEqual(machine.states(), ['done', 'done', 'failed', 'done']);
  deepStrictEqual(new Set(machine.lines('acknowledged')).size, 4);
  deepStrictEqual(machine.lines('acknowledged').length, 4);
}

async function crashLater(machine: Machine, publish: Publish): Promise<void> {
  publish('1.3.0', CRASHING_LATER);
  await machine.printed('failure-reported', 1);
  await machine.printed('acknowledged', 6);
  await machine.runs(['1.1.0']);
  deepStrictEqual(machine.states().slice(4), ['done', 'done']);
}

/** An agent starts what is deployed, without waiting for the registry. */
async function startAgain(machine: Machine): Promise<void> {
  const starts = machine.lines('module: started 1.1.0').length;
  machine.kill();
  await machine.printed('module: started 1.1.0', starts + 1);
  await machine.runs(['1.1.0']);
}

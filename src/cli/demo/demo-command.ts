import { join } from 'node:path';
import { excerpt } from '../../core/text/quote.ts';
import { failed, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import {
  closedWindow,
  createMachine,
  writePackage,
  writePolicy,
  type DemoMachine,
} from './demo-machine.ts';
import type { RunCommand } from '../base/command-context.ts';
import { DemoStage, DemoStop } from './demo-stage.ts';

export interface DemoOptions {
  readonly fast?: true;
  readonly json?: true;
}

/** How long a reader has for a step. */
const STEP_MS = 6000;
/** How long the page stays. Its code ends then. */
const PAGE_MS = 5 * 60_000;

/**
 * `modreg demo`: a registry, the agent of a machine with four modules, and releases that are published for them. It runs the
 * commands that it shows. Its folder stays, so that a reader can try the commands that it names at the end.
 */
export async function demoCommand(
  { fast, json }: DemoOptions,
  world: World,
  run: RunCommand,
): Promise<Outcome> {
  if (!world.platform.startsWith('linux/')) return failed(NOT_LINUX);
  const created = createMachine();
  if (!created.ok) return failed(created.error);
  const machine = created.value;
  const stage = new DemoStage(machine, { json: json ?? false, world, run });
  try {
    await play(machine, stage, fast ? 0 : STEP_MS);
    const isShown = world.isAnswerShown && !json && !fast;
    await showPage(machine, stage, { json, forMs: isShown ? PAGE_MS : 0 });
  } catch (error) {
    const { problem, ending } = endOf(error);
    const notes = json ? [] : [`note: what the demo has made is in ${machine.folder}`];
    return { answer: [], notes, problems: problem ? [problem] : [], ending };
  } finally {
    await stage.end();
  }
  const next = commandsAfter(machine);
  const answer = json ? [stage.last({ folder: machine.folder, next })] : farewell(machine, next);
  return { answer, notes: [], problems: [] };
}

/** How an error ends the demo: one of the operating system is a problem, any other is a bug. */
function endOf(error: unknown): DemoStop['end'] {
  if (error instanceof DemoStop) return error.end;
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  const message = `the demo cannot go on: ${excerpt(error.message)}`;
  return { problem: { severity: 'error', kind: 'state-write', message } };
}

const NOT_LINUX: Problem = {
  severity: 'error',
  kind: 'usage',
  message: 'modreg demo runs the modules of a machine, which needs Linux',
  hint: "modreg resolve acme:lidar '1.2.*' --explain shows a decision on any system",
};

async function play(machine: DemoMachine, stage: DemoStage, stepMs: number): Promise<void> {
  const publish = async (
    name: string,
    version: string,
    module: 'working' | 'broken' = 'working',
  ): Promise<void> => {
    const file = writePackage(machine, `${name}-${version}`, module);
    await stage.command(['registry', 'publish', `acme:${name}`, version, '--upload', file]);
  };
  await serve(machine, stage);
  for (const [name, version] of FIRST_RELEASES) await publish(name, version);
  await stage.pause(stepMs);

  stage.say('The agent of a machine installs what its machine.json accepts of them.');
  const config = join(machine.folder, 'machine.json');
  stage.start(['agent', 'run', config, '--interval', '5s', '--json'], agentLine);
  await stage.until(...FIRST_RELEASES.map(([name]) => new RegExp(`${name}: install of .*: done`)));
  await stage.pause(stepMs);

  stage.say('The lidar accepts 1.2.*, so it is upgraded to 1.2.4. The camera is pinned to 1.0.0.');
  await publish('lidar', '1.2.4');
  await publish('camera', '1.1.0');
  await stage.until(/lidar: upgrade .*: done/);
  await stage.command(['why', 'acme:camera']);
  await stage.pause(stepMs);

  stage.say('A release of the arm does not work. The release before it is started again.');
  await publish('arm', '2.1.0', 'broken');
  await stage.until(/arm .* is in quarantine/);
  await stage.command(['why', 'acme:arm'], /stayed at .* quarantined/);
  await stage.pause(stepMs);

  stage.say('The gripper may only be replaced in its maintenance window, which is closed.');
  await publish('gripper', '3.1.0');
  await stage.until(/gripper: .* is held/);
  await stage.command(['why', 'acme:gripper']);
  await stage.pause(stepMs);

  stage.say('This is what runs now.');
  await stage.command(['agent', 'status']);
}

/** Opens the page of the machine, while its agent runs. */
async function showPage(
  { folder }: DemoMachine,
  stage: DemoStage,
  { json, forMs }: { readonly json: true | undefined; readonly forMs: number },
): Promise<void> {
  const how =
    forMs === 0 ? '' : ' Open the address in a browser on this machine; Ctrl-C ends the demo.';
  stage.say(`The page of the machine shows the same, and can change it.${how}`);
  const page = ['page', join(folder, 'machine.json'), '--port', '0'];
  stage.start(json ? [...page, '--json'] : page, (line) => line);
  await stage.until(/page-address|#code=/);
  await stage.pause(forMs);
  stage.say('The page, the agent and the registry end with the demo.');
}

const FIRST_RELEASES = [
  ['lidar', '1.2.3'],
  ['camera', '1.0.0'],
  ['arm', '2.0.0'],
  ['gripper', '3.0.0'],
] as const;

function addressIn(line: string): string {
  // A cast: the registry has written it.
  return (JSON.parse(line) as { readonly address: string }).address;
}

async function serve(machine: DemoMachine, stage: DemoStage): Promise<void> {
  stage.say(
    `A registry gets a release of each of four modules. Everything is in ${machine.folder}.`,
  );
  const serving = ['registry', 'serve', '--port', '0', '--json'];
  stage.start(serving, (line) => `listening on ${addressIn(line)}`);
  const [line = ''] = await stage.until(/"address"/);
  const modules = { gripper: closedWindow(Date.now()) };
  writePolicy(machine, { registry: addressIn(line), modules });
}

/** The line of the agent's log that a reader sees: what is decided and done, without the steps of each start. */
function agentLine(line: string): string | undefined {
  // A cast: the agent has written it.
  const { event, level, text } = JSON.parse(line) as Record<'event' | 'level' | 'text', string>;
  return event === 'module' && level === 'info' ? undefined : text;
}

function commandsAfter({ folder, home }: DemoMachine): string[] {
  return [
    `export PLATFORM_HOME=${home}`,
    'modreg status',
    'modreg why acme:arm',
    'modreg agent logs arm',
    'modreg quarantine list',
    `modreg check ${folder}/machine.json`,
    `rm -r ${folder}`,
  ];
}

function farewell({ folder }: DemoMachine, commands: readonly string[]): string[] {
  return [
    '',
    `The state of the machine stays in ${folder}. Try (in a clone, modreg is ./bin/modreg):`,
    ...commands.map((one) => `  ${one}`),
  ];
}

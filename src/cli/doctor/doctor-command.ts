import { excerpt } from '../../core/text/quote.ts';
import type { SavedLists } from '../../registry/saved-lists.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import { STDIN } from '../../host/document-file.ts';
import type { Outcome } from '../../base/problem.ts';
import type { RegistryOptions } from '../../host/registry-choice.ts';
import type { World } from '../../base/world.ts';
import { checkClock } from './clock-check.ts';
import { countsIn, findingsAsJson, formatFindings, statesOf } from './doctor-report.ts';
import { checkDocuments, documentFacts, type DocumentFacts } from './documents-check.ts';
import { findingsOf, type CheckName, type Finding } from './finding.ts';
import { checkHome } from './home-check.ts';
import { homeFacts, type HomeFacts } from './home-facts.ts';
import { checkLists } from './lists-check.ts';
import { hasLog, machineFacts, openMachine, type MachineFacts } from './machine-facts.ts';
import { checkFollowed } from './followed-check.ts';
import { checkData } from './data-check.ts';
import { checkModules } from './modules-check.ts';
import { modulesFacts } from './modules-facts.ts';
import { checkNothing, checkPoller } from './poller-check.ts';
import { abilityFindings } from './registry-abilities.ts';
import { checkRegistries } from './registry-check.ts';
import { registryFacts } from './registry-facts.ts';
import { checkReleases } from './releases-check.ts';
import { checkReports } from './reports-check.ts';
import { checkState, hasState } from './state-check.ts';
import { checkSystem } from './system-check.ts';
import { wantedLists } from './wanted-lists.ts';

export interface DoctorOptions extends RegistryOptions {
  readonly strict?: true;
}

/** `modreg doctor [machine.json]`: whether this machine is ready and well. Changes nothing. */
export async function doctorCommand(
  path: string | undefined,
  options: DoctorOptions,
  world: World,
): Promise<Outcome> {
  // Documents are read more than once, which stdin cannot be.
  const findings = await findingsOn(path === STDIN ? `./${STDIN}` : path, options, world);
  const { errors, warnings } = countsIn(findings);
  const isUnwell = errors > 0 || (options.strict === true && warnings > 0);
  return {
    answer: options.json ? [findingsAsJson(findings, world.clock())] : formatFindings(findings),
    states: statesOf(findings),
    notes: [],
    problems: [],
    ending: isUnwell ? 'no' : undefined,
  };
}

async function findingsOn(
  path: string | undefined,
  options: DoctorOptions,
  world: World,
): Promise<Finding[]> {
  const home = homeFacts(world);
  const file = home && openMachine(home);
  try {
    const read = file?.ok === true ? machineFacts(file.value, bytesOf(home), world) : file;
    const machine = read?.ok === true ? read.value : undefined;
    const saved = file?.ok === true && machine ? savedListsIn(file.value) : undefined;
    const state = home && read?.ok === false ? checkState(home, read.error) : [];
    const isUnread = home !== undefined && !machine && hasState(home);
    return [
      ...(await check('system', () => checkSystem(world))),
      ...(await check('home', () => [...checkHome(home, path), ...state])),
      ...(await checkTheRest({ path, options, home, machine, saved, isUnread }, world)),
    ];
  } finally {
    if (file?.ok === true) file.value.close();
  }
}

interface Patient {
  readonly path: string | undefined;
  readonly options: DoctorOptions;
  readonly home: HomeFacts | undefined;
  readonly machine: MachineFacts | undefined;
  readonly saved: SavedLists | undefined;
  /** Whether there is a machine.db that cannot be read. */
  readonly isUnread: boolean;
}

async function checkTheRest(patient: Patient, world: World): Promise<Finding[]> {
  const { path, options, home, machine, saved, isUnread } = patient;
  const documents = documentFacts(path, options, world);
  const wanted = wantedLists(path, options, { documents, machine }, world);
  const registries = await registryFacts(wanted, { ...options, saved, machinePath: path }, world);
  const now = world.clock();
  const { ahead, clock } = registries;
  const lists = { ...registries, saved: machine?.lists ?? [], now };
  return [
    ...(await check('clock', () =>
      checkClock({ now, lastRound: machine?.poller.round?.at, ahead, clock }),
    )),
    ...(await check('documents', () => checkDocuments(documents))),
    ...(await check('documents', () => checkFollowed(path, options, world))),
    ...(await check('registry', () => checkRegistries(registries, now))),
    ...(await check('registry', () =>
      options.registry === undefined ? [] : registries.registries.flatMap(abilityFindings),
    )),
    ...(await check('poller', () => {
      if (machine?.hasRun) return checkPoller(machine, now);
      return isUnread ? [UNREAD] : checkNothing(home, path);
    })),
    ...(await check('poller', () => (home && machine?.hasRun ? checkReports(home.path) : []))),
    ...(await check('lists', () => checkLists(lists))),
    ...(await check('modules', async () => await modulesFindings(patient, documents))),
    ...(await check('modules', () => checkData(machine?.earlierData ?? []))),
    ...(await check('releases', () => (machine ? checkReleases(machine, now) : []))),
  ];
}

const UNREAD = findingsOf('poller').info('not known, because machine.db cannot be read');

/** Whether modules can run here, if modreg's own agent runs them or may soon. */
async function modulesFindings(patient: Patient, documents: DocumentFacts): Promise<Finding[]> {
  const { path, options, home, machine } = patient;
  const isRead = documents?.ok === true;
  const isOfAgent = home && runsAgent(patient, home);
  if (!home || isOfAgent === false || !(isOfAgent ?? isRead)) return [];
  const { policy } = options;
  const agentPid = machine?.isPolled === true ? machine.poller.pid : undefined;
  const named = isRead ? path : undefined;
  return checkModules(
    await modulesFacts({ ...home, path: named, policy, home: home.path, agentPid, isOfAgent }),
  );
}

/** Whether modreg's own agent runs the modules of this machine; undefined if nothing has run yet. */
function runsAgent({ machine, isUnread }: Patient, { path }: HomeFacts): boolean | undefined {
  if (machine?.hasRun) return machine.isOfAgent;
  return isUnread ? hasLog(path) : undefined;
}

/** The findings of one check. One that ends with a bug hides none of the others. */
async function check(
  name: CheckName,
  work: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch (error) {
    const found = `this check ended with a bug in modreg: ${excerpt(String(error))}`;
    return [findingsOf(name).error(found, 'report it with the output of modreg version')];
  }
}

function bytesOf(home: HomeFacts | undefined): number {
  return home && typeof home.file !== 'string' ? home.file.size : 0;
}

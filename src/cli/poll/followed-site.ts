import { platformHome } from '../../config/platform-home.ts';
import type { Result } from '../../core/index.ts';
import { deployedVersion } from '../../core/decision/deployed.ts';
import { pinIn } from '../../core/machine/update-policy.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { TrustDocument } from '../../core/trust/trust-document.ts';
import { parseRegistryAddress } from '../../registry/address.ts';
import { systemClock } from '../../registry/clock.ts';
import { secretClient, type SecretClient } from '../../registry/secret-client.ts';
import { commandClient, type CommandClient } from '../../registry/command-client.ts';
import { configClient, type ConfigClient } from '../../registry/config-client.ts';
import type { KnownCommand } from '../../registry/command-documents.ts';
import { configSigners } from '../../registry/trust/config-signatures.ts';
import type { Following } from '../../registry/http/connection.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import type { ClaimedFile } from '../../store/index.ts';
import { proofBy } from '../../registries/proving-remote.ts';
import { fetchIn } from '../../base/network.ts';
import { registryProblem, usage, type Problem } from '../../base/problem.ts';
import { clockOf, type World } from '../../base/world.ts';
import type { CommandRegistries } from '../../host/command-registries.ts';
import { machineCredentials } from '../../host/credentials.ts';
import { documentsForStart, type StartDocuments } from '../../host/kept-documents.ts';
import { machineIdWith } from '../../host/machine-id.ts';
import type { PlanDocuments } from '../../host/plan-documents.ts';
import { tokenFor, tokensIn } from '../../host/registry-token.ts';
import { clockReading } from '../../host/clock-reading.ts';
import { carriedOut } from '../../host/served/carried-out.ts';
import { effectiveDocuments } from '../../host/served/effective.ts';
import { forgetSecrets, secretFor } from '../../host/served/kept-secrets.ts';
import { forgotten, keepState, keptState, noneServed } from '../../host/served/served-state.ts';
import { SiteFollower, type FollowedSite } from '../../host/served/site-follower.ts';

/** The options of a command that can follow the documents of a site. */
export interface SiteOptions {
  readonly registry?: string;
  readonly configFrom?: string;
}

/** The registry whose documents a machine follows. */
export interface SiteTarget {
  readonly client: ConfigClient;
  readonly commands: CommandClient;
  readonly secrets: SecretClient;
  /** The id of the machine. */
  readonly machine: string;
  readonly origin: string;
}

/** Whose documents the machine follows (D267); undefined if it follows none. */
export function siteTarget(
  { registry, configFrom: named }: SiteOptions,
  world: World,
): Result<SiteTarget | undefined, Problem> {
  if (named === undefined) return { ok: true, value: undefined };
  const address = parseRegistryAddress(named);
  if (!address.ok) return { ok: false, error: usage(`--config-from: ${address.error}`) };
  if (!('url' in address.value)) {
    const message = '--config-from is a path, expected the address of a registry';
    return { ok: false, error: usage(message) };
  }
  const credentials = machineCredentials(world);
  if (!credentials.ok) return credentials;
  const machine = machineIdWith(credentials.value, world);
  if (machine === undefined) {
    const message = '--config-from needs the id of the machine, and its credentials have none';
    const hint = 'add "part_id" to its credentials file, or set PLATFORM_PART_ID';
    return { ok: false, error: usage(message, hint) };
  }
  const { url } = address.value;
  const tokens = tokensIn(world, registry ?? named, credentials.value);
  const sent = { clock: systemClock, fetch: fetchIn(world), token: () => tokenFor(url, tokens) };
  const client = configClient(address.value, sent);
  const commands = commandClient(address.value, sent);
  const secrets = secretClient(address.value, sent);
  if (!client.ok) return { ok: false, error: registryProblem(client.error) };
  if (!commands.ok) return { ok: false, error: registryProblem(commands.error) };
  if (!secrets.ok) return { ok: false, error: registryProblem(secrets.error) };
  const clients = { client: client.value, commands: commands.value, secrets: secrets.value };
  return { ok: true, value: { ...clients, machine, origin: url.origin } };
}

/** What a follower needs of the running agent or poller. */
interface FollowingParts extends Pick<FollowedSite, 'intervalMs' | 'onChange' | 'onNotice'> {
  readonly file: ClaimedFile;
  readonly registries: CommandRegistries;
}

/** The documents of a machine, with those of its site. */
export interface FollowedDocuments extends StartDocuments {
  /** How requests to registries are sent: waits for changes end for other documents as well, if the machine follows any. */
  readonly requests: { readonly following?: Following };
  /** The values of its site for modules; undefined if it follows none, where `${secret.NAME}` stays as it is. */
  readonly secretOf: ReturnType<typeof secretFor> | undefined;
  /** Follows the site until the result is called. */
  readonly follow: (parts: FollowingParts) => () => void;
}

/** The documents with which a machine starts: its own, or those that it ran last of its site, which were kept (D269). */
export function followedStart(
  path: string,
  options: Parameters<typeof documentsForStart>[1] & { readonly target: SiteTarget | undefined },
  world: World,
): Result<FollowedDocuments, Problem[]> {
  const { target, ...own } = options;
  const start = documentsForStart(path, own, world);
  if (!start.ok) return start;
  const home = platformHome(world.environment);
  // Without a home there is no state either, as the next step says.
  if (target && home !== undefined) return followed(target, start.value, { home, world });
  const follow: FollowedDocuments['follow'] = ({ onNotice }) => {
    if (home !== undefined) forgetSite(home, onNotice);
    return () => undefined;
  };
  return { ok: true, value: { ...start.value, requests: {}, secretOf: undefined, follow } };
}

/** What a machine followed is not in use any more, and its secrets are removed (D366). */
function forgetSite(home: string, onNotice: FollowedSite['onNotice']): void {
  const kept = keptState(home);
  if (!kept?.current && !kept?.refused) return;
  try {
    forgetSecrets(home);
    keepState(home, forgotten(kept));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    onNotice(
      'warn',
      `what was kept of ${excerpt(kept.site)} cannot be removed (${code}); it is not used`,
    );
  }
}

function followed(
  target: SiteTarget,
  start: StartDocuments,
  { home, world }: { readonly home: string; readonly world: World },
): Result<FollowedDocuments, Problem[]> {
  const { origin, machine } = target;
  const kept = keptState(home);
  const isOwn = kept?.site === origin && kept.machine === machine;
  const begun = isOwn ? kept : noneServed(origin, machine);
  let own = start.documents;
  let follower: SiteFollower | undefined;
  const effective = (): ReturnType<StartDocuments['read']> =>
    effectiveDocuments(own, (follower?.state ?? begun).current);
  const first = effective();
  if (!first.ok) return first;
  const read: StartDocuments['read'] = () => {
    const now = start.read();
    if (now.ok) own = now.value;
    return now.ok ? effective() : now;
  };
  const follow: FollowedDocuments['follow'] = (parts) => {
    const clock = clockOf(world);
    const site = followedSite(target, { ...parts, clock, home, own: () => own }, world);
    follower = new SiteFollower({ ...site, deployed: deployedIn(parts, effective) }, begun);
    const ending = new AbortController();
    void follower.run(ending.signal);
    return () => ending.abort();
  };
  const known = (): string => follower?.knownTag ?? '';
  const taken = (): number => follower?.taken ?? 0;
  const secretOf = secretFor({ home, site: origin, machine });
  const following = { origin, known, taken, onNews: () => follower?.wake() };
  return {
    ok: true,
    value: { ...start, documents: first.value, read, requests: { following }, secretOf, follow },
  };
}

function followedSite(
  { client, commands, secrets, origin }: SiteTarget,
  { registries, ...parts }: FollowingParts & Pick<FollowedSite, 'home' | 'own' | 'clock'>,
  world: World,
): Omit<FollowedSite, 'deployed'> {
  const { own } = parts;
  const commanded = {
    client: commands,
    proof: async () => await proofOf(registries, own(), origin),
    isPinned: () => hasPin(own()),
    reading: () => clockReading(world),
    trust: async () => await trustOf(registries, own()),
    carryOut: async (command: KnownCommand) =>
      await carriedOut(command, { origin, isPinned: hasPin(own()), world }),
  };
  return {
    ...parts,
    client,
    secrets,
    commanded,
    trust: async () => judgingBy(await trustOf(registries, own())),
  };
}

/** What the registry has to sign its answers for; undefined if the policy names no trust document for all modules. */
async function proofOf(
  registries: CommandRegistries,
  { policy }: PlanDocuments,
  origin: string,
): ReturnType<FollowedSite['commanded']['proof']> {
  const opened = registries.open(policy.terms);
  const trust = opened.ok ? opened.value?.trust : undefined;
  return trust && (await proofBy(trust, origin));
}

function hasPin({ policy }: PlanDocuments): boolean {
  return [policy.terms, ...policy.modules.values()].some((one) => pinIn(one) !== undefined);
}

/** The trust document that the policy of the machine names, as its registry has it. */
async function trustOf(
  registries: CommandRegistries,
  { policy }: PlanDocuments,
): Promise<Result<TrustDocument, string>> {
  const opened = registries.open(policy.terms);
  if (!opened.ok) return { ok: false, error: opened.error.message };
  const { trust } = opened.value ?? {};
  if (!trust) return { ok: false, error: 'the policy names no trust document for all modules' };
  try {
    return { ok: true, value: await trust.document() };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { ok: false, error: error.message };
  }
}

/** The same with the count of operators that signed a revision. */
function judgingBy(
  trust: Result<TrustDocument, string>,
): Awaited<ReturnType<FollowedSite['trust']>> {
  if (!trust.ok) return trust;
  const document = trust.value;
  return {
    ok: true,
    value: { document, signed: (served) => configSigners(document, served).length },
  };
}

function deployedIn(
  { file }: FollowingParts,
  effective: StartDocuments['read'],
): FollowedSite['deployed'] {
  return (name) => {
    const documents = effective();
    if (!documents.ok) return undefined;
    const entry = documents.value.machine.modules.find((one) => one.name === name);
    if (!entry) return undefined;
    const { moduleId } = entry;
    return deployedVersion(file.state.memory().of({ kind: 'module', name, moduleId }).deployed);
  };
}

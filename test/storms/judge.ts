import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { catchUp, parsed, type Follower, type ServedList } from './follower.ts';
import type { Counts, Finding, Journal, KnownModule, KnownRelease } from './journal.ts';
import { sha256Of } from './requests.ts';

const NOTHING: ServedList = { generation: 0, count: 0, releases: [] };

/** A registry that was started again after a storm. */
export interface Restarted {
  readonly address: string;
  /** The path of its database. */
  readonly path: string;
  readonly journal: Journal;
  readonly follower: Follower;
  readonly counts: Counts;
}

/** What differs from what its clients know. Records the changes without a response that the registry had made. */
export async function judge(registry: Restarted): Promise<Finding[]> {
  const { address, journal, follower, path } = registry;
  await catchUp(follower, address);
  const findings = [...journal.findings.splice(0), ...follower.findings.splice(0)];
  for (const [name, module] of journal.modules) {
    const response = await fetch(`${address}/v1/modules/acme/${name}`);
    const text = await response.text();
    const list = response.status === 404 ? NOTHING : parsed(text);
    findings.push(...moduleFindings(name, module, list, registry.counts));
    // A client that only follows the feed has missed no change.
    if (list !== NOTHING && follower.lists.get(name) !== text) {
      findings.push({ kind: 'wrong', text: `the feed did not name the last change of ${name}` });
    }
  }
  const changes = [...journal.modules.values()].reduce((sum, module) => sum + module.changes, 0);
  if (follower.sequence !== changes) {
    const text = `the sequence is ${follower.sequence} after ${changes} changes`;
    findings.push({ kind: follower.sequence > changes ? 'duplicated' : 'lost', text });
  }
  findings.push(...storeFindings(path), ...(await fileFindings(address, journal)));
  return findings;
}

function moduleFindings(
  name: string,
  module: KnownModule,
  { generation, count, releases }: ServedList,
  counts: Counts,
): Finding[] {
  const served = new Map(releases.map((release) => [release.version, release]));
  const findings: Finding[] = [];
  if (served.size !== releases.length || count !== releases.length) {
    const text = `${name} has ${releases.length} releases of ${served.size} versions, count ${count}`;
    findings.push({ kind: 'duplicated', text });
  }
  for (const version of served.keys()) {
    if (module.releases.has(version)) continue;
    findings.push({ kind: 'wrong', text: `nobody published ${name} ${version}` });
  }
  for (const [version, known] of module.releases) {
    const finding = releaseFinding(module, known, served.get(version), counts);
    if (finding) findings.push({ ...finding, text: `${name} ${version} ${finding.text}` });
    if (!served.has(version)) module.releases.delete(version);
  }
  if (generation !== module.changes) {
    const text = `${name} has the generation ${generation} after ${module.changes} changes`;
    findings.push({ kind: generation > module.changes ? 'duplicated' : 'lost', text });
  }
  return findings;
}

function releaseFinding(
  module: KnownModule,
  known: KnownRelease,
  served: ServedList['releases'][number] | undefined,
  counts: Counts,
): Finding | undefined {
  if (!served) {
    counts.absent += known.unanswered.size;
    return known.exists ? { kind: 'lost', text: 'is missing' } : undefined;
  }
  const { artifacts, deprecated, yanked } = served;
  const content = JSON.stringify({ artifacts, deprecated });
  if (known.content === undefined && known.unanswered.has(content)) {
    known.content = content;
    known.unanswered.delete(content);
    known.exists = true;
    module.changes++;
    counts.found++;
  }
  counts.absent += known.unanswered.size;
  known.unanswered.clear();
  if (known.content !== content) {
    return { kind: 'wrong', text: `is ${content}, expected ${String(known.content)}` };
  }
  const { unansweredYank } = known;
  known.unansweredYank = undefined;
  if (unansweredYank !== undefined && unansweredYank === yanked) {
    known.yanked = yanked;
    module.changes++;
    counts.found++;
  } else if (unansweredYank !== undefined) counts.absent++;
  if (known.yanked === yanked) return undefined;
  return { kind: 'lost', text: `has the yank ${String(yanked)}, expected ${String(known.yanked)}` };
}

/** Each file under a final name is complete. Parts of uploads that were cut off are gone. */
function storeFindings(path: string): Finding[] {
  return ['incoming', 'sha256'].flatMap((place) => {
    const folder = `${path}-files/${place}`;
    if (!existsSync(folder)) return [];
    const wrong = readdirSync(folder).filter(
      (name) => sha256Of(readFileSync(`${folder}/${name}`)) !== name,
    );
    return wrong.map(
      (name) => ({ kind: 'wrong', text: `${folder}/${name} has other bytes` }) as const,
    );
  });
}

async function fileFindings(address: string, { files }: Journal): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [sha256, size] of files) {
    const response = await fetch(`${address}/v1/artifacts/sha256/${sha256}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.status === 200 && bytes.length === size && sha256Of(bytes) === sha256) continue;
    const found = `status ${response.status} and ${bytes.length} bytes`;
    findings.push({ kind: 'lost', text: `the file ${sha256} of ${size} bytes: ${found}` });
  }
  return findings;
}

import { describe, expect, it } from 'vitest';
import { served, type Answer } from '../../mocks/network.ts';
import { ociContents, ociRepository } from '../../mocks/oci-registry.ts';
import { agentSite, FOR_PROGRAM, packageOf, type AgentSite } from '../support/agent-site.ts';
import { entry } from '../support/planned.ts';

const STAYS = 'exec sleep 1000';
const FAILS = 'exit 1';

interface OciSite extends AgentSite {
  /** The manifests that were asked for, in order. */
  readonly manifests: readonly string[];
}

/** A machine that runs `acme:lidar` from an OCI registry with these releases, whose programs are shell scripts. */
async function ociSite(
  scripts: Readonly<Record<string, string>>,
  constraint: string,
): Promise<OciSite> {
  const manifests: string[] = [];
  const files = Object.entries(scripts).map(([tag, script]) => [tag, { body: packageOf(script) }]);
  const repository = ociRepository('acme/lidar', ociContents(Object.fromEntries(files)));
  const answer: Answer = async (request) => {
    manifests.push(...(/manifests\/(.*)$/.exec(request.url)?.slice(1) ?? []));
    return await repository(request);
  };
  const site = await agentSite(
    { modules: [entry('acme:lidar', constraint, 'lidar')] },
    FOR_PROGRAM,
  );
  await site.change({}, { registry: `oci:${await served(answer)}` });
  return { ...site, manifests };
}

describe('[D140] the manifest of what is selected is read before its file is needed', () => {
  it('a new machine runs the newest release that works, after two that do not', async () => {
    const scripts = { '1.0.0': STAYS, '1.1.0': FAILS, '1.2.0': FAILS, '0.9.0': STAYS };
    const site = await ociSite(scripts, '1.*');
    await site.start();
    await site.until('quarantined 1.2.0: it ended with exit code 1');
    await site.until('quarantined 1.1.0: it ended with exit code 1');
    await site.until('lidar running 1.0.0');
    await site.until('done');
    expect(site.story.filter((line) => line.includes('no file'))).toEqual([]);
    expect([...new Set(site.manifests)].toSorted()).toEqual(['1.0.0', '1.1.0', '1.2.0']);
  });
});

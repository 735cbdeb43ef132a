import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { documentKeeper } from '../../src/host/kept-documents.ts';
import { readPlanDocuments } from '../../src/host/plan-documents.ts';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';

const CONFIG =
  '{"modules":[{"type":"registry","name":"acme_cam","module_id":"acme:cam","version":"1.*"}]}';

interface Home {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A home whose agent used these documents last. */
function homeWith(policy?: object): Home {
  const folder = temporaryFolder({
    'home/.keep': '',
    'rover.json': CONFIG,
    'own-policy.json': JSON.stringify(policy ?? {}),
    'lists/acme/cam.json': '{"releases":[{"version":"1.4.0"}]}',
  });
  const options = policy === undefined ? {} : { policy: `${folder}/own-policy.json` };
  const documents = readPlanDocuments(`${folder}/rover.json`, options);
  if (documents.ok) documentKeeper(`${folder}/home`)(documents.value);
  return { folder, environment: { PLATFORM_HOME: `${folder}/home` } };
}

describe('[D290] without an argument, a command reads the machine config that the agent of this machine used last', () => {
  it('and says which one it is', async () => {
    const { folder, environment } = homeWith();
    const { stdout } = await printed(['plan', '--registry', `${folder}/lists`], { environment });
    expect(stdout[0]).toMatch(new RegExp(`^${folder}/rover.json {3}1 module`));
  });

  it.each([
    ['the policy that belongs to it', [], '1.4.0'],
    ['but an option for the policy counts first', ['--policy', 'examples/policy.json'], null],
  ])('%s', async (_, options, latest) => {
    const { environment } = homeWith({ registry: './lists' });
    const { stdout } = await printed(['plan', '--json', '--offline', ...options], { environment });
    const { modules } = JSON.parse(stdout.join()) as { readonly modules: readonly object[] };
    expect(modules).toEqual([expect.objectContaining({ latest })]);
  });

  it('set changes it', async () => {
    const { folder, environment } = homeWith();
    const { stdout } = await printed(['set', 'acme:cam', '1.4.0'], { environment });
    expect(stdout[0]).toBe(`${folder}/rover.json:1 "1.*" -> "1.4.0"`);
  });

  it.each([
    ['a damaged record', '{'],
    ['a record of something else', '{"machine":{"path":7}}'],
    ['null', 'null'],
  ])('%s is none', async (_, content) => {
    const { folder, environment } = homeWith();
    writeFileSync(`${folder}/home/machine.db.documents`, content);
    const { stdout, stderr } = await printed(['plan'], { environment });
    expect([...stdout, ...stderr].join('\n')).not.toContain('rover.json');
  });
});

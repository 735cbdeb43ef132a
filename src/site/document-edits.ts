import { edited, editableIn, type DocumentEdit, type Editable } from '../config/document-edit.ts';
import { usage, type Problem } from '../base/problem.ts';
import { documentDiff } from '../core/trust/document-diff.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import { compiledDocuments, unknownModules } from '../server/configs/compiled-documents.ts';
import type { StoredRevision } from '../server/configs/config-table.ts';
import type { ConfigSource } from '../server/configs/source-table.ts';
import type { OnChange } from './on-change.ts';
import { saveDocuments, type Saving, type SiteDocuments } from './served-documents.ts';
import { signatureNeed, type SignatureNeed } from '../server/fleet/signature-need.ts';
import type { Answer, SiteFiles } from './site-files.ts';

/** What can be edited in the newest documents of a machine. */
interface EditableDocuments extends Editable {
  readonly machine: string;
  readonly revision: number;
  /** The names of the fragments that it uses; their entries are edited there (D329). */
  readonly fragments: readonly string[];
  /** The modules of this registry that the machine does not have; the first ones if there are many. */
  readonly moduleIds: readonly string[];
}

/** What an edit would change. */
interface EditPreview {
  readonly machine: string;
  readonly revision: number;
  readonly lines: readonly string[];
  readonly need: SignatureNeed;
  /** What is no reason not to save it. */
  readonly warnings: readonly string[];
}

/** Edits of the documents that a registry serves to machines (D416). */
export interface SiteEdits {
  editable(machine: string): Answer<EditableDocuments>;
  previewEdit(machine: string, edit: DocumentEdit): Promise<Answer<EditPreview>>;
  /** Saves an edit of the revision that the person saw as the next one. */
  saveEdit(
    machine: string,
    edit: DocumentEdit,
    saving: Saving,
  ): ReturnType<SiteDocuments['restore']>;
}

/** So many modules are offered for a choice. */
const MOST_CHOICES = 200;

export function editsOf(files: SiteFiles, onChange: OnChange): SiteEdits {
  return {
    editable(machine) {
      const found = ownOf(files, machine);
      if (!found.ok) return found;
      const { newest, own } = found.value;
      const editable = editableIn(own);
      const known = new Set(editable.modules.map(({ moduleId }) => moduleId));
      const all = files.catalogue.modules().filter((id) => !known.has(id));
      const moduleIds = all.slice(0, MOST_CHOICES);
      const { revision } = newest;
      const { fragments } = own;
      return { ok: true, value: { ...editable, machine, revision, fragments, moduleIds } };
    },
    previewEdit: async (machine, edit) => await previewOf(files, machine, edit),
    async saveEdit(machine, edit, saving) {
      const found = ownOf(files, machine, saving.basedOn);
      if (!found.ok) return { ok: false, error: { problem: found.error } };
      const { own } = found.value;
      const next = edited(own, edit);
      if (!next.ok) return { ok: false, error: { problem: notPossible(next.error) } };
      const { fragments } = own;
      const documents = { ...next.value, machine, fragments, ...saving };
      return await saveDocuments(files, onChange, documents);
    },
  };
}

async function previewOf(
  files: SiteFiles,
  machine: string,
  edit: DocumentEdit,
): Promise<Answer<EditPreview>> {
  const found = ownOf(files, machine);
  if (!found.ok) return found;
  const { newest, own } = found.value;
  const next = edited(own, edit);
  if (!next.ok) return { ok: false, error: notPossible(next.error) };
  const use = { machine, fragments: own.fragments };
  const compiled = await compiledDocuments(next.value, use, files.catalogue.configs);
  if (!compiled.ok) {
    const { code, detail } = compiled.error;
    return { ok: false, error: notPossible(`${code}: ${detail}`) };
  }
  const lines = documentDiff(newest, compiled.value);
  const { catalogue, fleet, now } = files;
  const known = { catalogue, fleet, now: now() };
  const need = await signatureNeed(known, newest, { ...compiled.value, machine });
  const warnings = await unknownModules(compiled.value.config, catalogue.modules());
  return { ok: true, value: { machine, revision: newest.revision, lines, need, warnings } };
}

function notPossible(why: string): Problem {
  return usage(`${excerpt(why, 600)}; nothing was saved`);
}

interface Own {
  readonly newest: StoredRevision;
  /** What the machine has of its own, without its fragments. */
  readonly own: ConfigSource;
}

/** The documents of the revision that a person saw, else of the newest. */
function ownOf({ catalogue: { configs } }: SiteFiles, machine: string, seen?: number): Answer<Own> {
  const newest =
    (seen === undefined ? undefined : configs.at(machine, seen)) ?? configs.newest(machine);
  if (!newest) {
    const message = `this registry serves no documents to ${quote(machine)}, so they are edited on the machine`;
    const hint = `to edit them here, save them with modreg fleet config set machine.json --machine ${excerpt(machine)} --reason first`;
    return { ok: false, error: { severity: 'error', kind: 'unknown-config', message, hint } };
  }
  const { config, policy, revision } = newest;
  const own = configs.source(machine, revision) ?? { config, policy, fragments: [] };
  return { ok: true, value: { newest, own } };
}

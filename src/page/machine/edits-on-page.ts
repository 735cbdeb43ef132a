import type { World } from '../../base/world.ts';
import { editableMachine, previewedEdit, savedEdit } from '../../host/config/document-edits.ts';
import type { SavedPlanTerms } from '../../host/plan/machine-plan.ts';
import { editWarnings } from '../../host/served/site-notes.ts';
import type { MachineChanges } from '../machine-changes.ts';
import { asPageProblem, onPage, refused } from '../page-problem.ts';

type Edits = Pick<MachineChanges, 'editable' | 'editWarnings' | 'previewEdit' | 'saveEdit'>;

/** Edits of the machine config and the policy (D416). */
export function editsOnPage(path: string, options: SavedPlanTerms, world: World): Edits {
  return {
    editWarnings: () => editWarnings(world).map(asPageProblem),
    editable: () => onPage(editableMachine(path, options)),
    previewEdit: async (edit) => onPage(await previewedEdit(edit, path, options, world)),
    saveEdit(edit, etag) {
      const saved = onPage(savedEdit(edit, etag, path, options));
      if (!saved.ok) return saved;
      if (saved.value === 'saved') return { ok: true, value: undefined };
      const message =
        'the machine config or its policy was changed meanwhile, and that change is kept; yours was not saved';
      return refused('CHANGED_MEANWHILE', message, { hint: 'what it changes now is below' });
    },
  };
}

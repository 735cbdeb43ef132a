import type { Eligibility } from '../releases/eligibility-policy.ts';
import type { ReleaseIndex } from '../releases/release-index.ts';
import type { DigestChange } from '../releases/release.ts';
import type { Words } from '../text/time-words.ts';

/** The release list of one module, or why there is none. */
export type ModuleList =
  | {
      /** The releases. */
      readonly index: ReleaseIndex;
      /** By the text of the version: a digest that differs from the one that this machine saw first. */
      readonly changedDigests?: ReadonlyMap<string, DigestChange> | undefined;
      /** When this machine first saw the releases; absent to trust the publish times that they claim. */
      readonly firstSeen?: Eligibility['firstSeen'];
      /** What is known to be wrong with the time of the decision; absent if nothing is (D57). */
      readonly clock?: Eligibility['clock'];
      /** Checks the signatures of the releases; absent if the policy names no trust document (D133). */
      readonly trust?: Eligibility['trust'];
      /** @internal Present if a release without files is one whose document was not read (D140). */
      readonly isDescribedApart?: true | undefined;
      /** When the registry last confirmed the list, in milliseconds since the epoch; absent for the time of the decision. */
      readonly readAt?: number | undefined;
      /** Present if a saved list is used because the registry did not answer. */
      readonly stale?:
        | {
            /** When the registry last confirmed the list, in milliseconds since the epoch. */
            readonly confirmedAt: number;
            /** Why the registry could not confirm it now, in one escaped line. */
            readonly message: string;
            /** @internal The same with what changes as time passes as data; absent if nothing does. */
            readonly words?: Words | undefined;
          }
        | undefined;
    }
  | {
      /** Why there is no list. A RegistryError is such an error. */
      readonly error: {
        /** A code for programs: `registry-unreachable`. */
        readonly kind: string;
        /** One escaped line for a person. */
        readonly message: string;
        /** @internal The same with what changes as time passes as data; absent if nothing does. */
        readonly words?: Words | undefined;
      };
    };

/** Why a saved list is used instead of the registry's. */
export type StaleList = NonNullable<Extract<ModuleList, { readonly index: unknown }>['stale']>;

/** Why there is no release list. */
export type ListError = Extract<ModuleList, { readonly error: unknown }>['error'];

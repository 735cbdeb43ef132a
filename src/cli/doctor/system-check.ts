import { excerpt } from '../../core/text/quote.ts';
import { platformOf } from '../../host/list-options.ts';
import { ownVersion } from '../version.ts';
import type { World } from '../../base/world.ts';
import { findingsOf, type Finding } from './finding.ts';

/** The versions of modreg and Node, and whether modules run on this platform. Node itself was checked when modreg started. */
export function checkSystem(world: World): Finding[] {
  const { ok, error } = findingsOf('system');
  const platform = platformOf({}, world);
  const versions = `modreg ${ownVersion()}, Node ${process.version}`;
  if (platform.ok) return [ok(`${versions}, ${platform.value}`)];
  return [
    error(
      `${versions}; ${platform.error.message}`,
      `use a machine with Linux on amd64 or arm64; ${excerpt(world.platform)} can only decide for another one: modreg plan --platform`,
    ),
  ];
}

/** Who answers for the package. No address is known yet, and `.invalid` is reserved for addresses that do not exist. */
const MAINTAINER = 'The authors of modreg <modreg@modreg.invalid>';

export interface Release {
  /** `0.2.0`, as in package.json. */
  readonly version: string;
  /** The first second of its day in the changelog. */
  readonly at: Date;
}

/** Debian's version for one of SemVer: `0.3.0~rc.1` is older than `0.3.0`. */
export function debianVersion(version: string): string {
  return version.replace('-', '~');
}

/** The newest date in CHANGELOG.md, as in `## 0.2.0 - 2026-11-24`. */
export function newestDate(changelog: string): Date {
  const [, date] = /^## \S+ - (\d{4}-\d\d-\d\d)$/m.exec(changelog) ?? [];
  if (date === undefined)
    throw new Error('CHANGELOG.md has no heading such as ## 0.2.0 - 2026-11-24');
  return new Date(date);
}

export function controlFile(
  version: string,
  architecture: string,
  installedKibibytes: number,
): string {
  return `Package: modreg
Version: ${debianVersion(version)}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${installedKibibytes}
Depends: adduser, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 5), util-linux (>= 2.33)
Suggests: bash-completion
Section: admin
Priority: optional
Description: runs the modules of a Linux machine, and keeps them up to date
 Robots and other machines run modules: programs from a registry that drive
 sensors, motors and the like. modreg decides which release of each module a
 machine should run, says why, downloads, starts, watches, replaces and rolls
 them back.
 .
 This package has the command modreg with the Node.js that runs it, and the
 units modreg-agent and modreg-registry, which are not enabled.
`;
}

/** The changelog in Debian's format: what changed is in CHANGELOG.md. */
export function debianChangelog({ version, at }: Release): string {
  const date = at.toUTCString().replace('GMT', '+0000');
  return `modreg (${debianVersion(version)}) unstable; urgency=medium

  * See CHANGELOG.md.gz in /usr/share/doc/modreg.

 -- ${MAINTAINER}  ${date}
`;
}

/** The copyright file in Debian's format (DEP 5), with the licenses of Node and of the bundled packages in full. */
export function copyrightFile(node: string, bundled: string): string {
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: modreg

Files: *
Copyright: The authors of modreg
License: Apache-2.0

Files: usr/lib/modreg/bin/node
Copyright: Node.js contributors, and the authors of the libraries that it contains
License: Node.js

Files: usr/lib/modreg/dist/*
Copyright: The authors of modreg, and of the packages that its license names
License: Apache-2.0 and bundled-packages

License: Apache-2.0
 On Debian systems, the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.

License: Node.js
${indented(node)}

License: bundled-packages
${indented(bundled)}
`;
}

/** The text as the value of a field: an empty line is ` .`. */
function indented(text: string): string {
  const lines = text.trim().split('\n');
  return lines.map((line) => (line.trim() === '' ? ' .' : ` ${line.trimEnd()}`)).join('\n');
}

import { join } from 'node:path';

export interface Plant {
  readonly mistake: string;
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly from: string;
  readonly to: string;
  /** What must catch it: the tests of its folder by default. */
  readonly by?: 'simulator' | 'agent' | 'http' | 'fleet' | 'attacks' | 'model' | 'month';
}

const FOLDERS = [
  'test/board',
  'test/core',
  'test/cluster',
  'test/config',
  'test/registry',
  'test/store',
  'test/poller',
  'test/agent',
  'test/server',
  'test/page',
  'test/testing',
  'test/logs',
  'test/reports',
];

const LOG_TESTS = ['../server/sent-logs', '../server/kept-logs', '../server/read-logs'] as const;

/** What catches a mistake in other folders, as beginnings of the paths of tests of `test/cli`. All of them together take too long. */
const COMMAND_TESTS: Readonly<Record<string, readonly string[]>> = {
  'src/agent/install/staged-bytes.ts': ['agent-metrics'],
  'src/cli/poll/followed-site.ts': ['config-from', 'fleet-commands'],
  'src/cli/poll/mask.ts': ['config-from', 'poll'],
  'src/config/schema-field.ts': ['../config', 'write-schema'],
  'src/config/served/compiled.ts': ['../config', '../server/fragments'],
  'src/config/served/secret-places.ts': ['../config', '../server/machine-secrets'],
  'src/core/plan/waiting-for-age.ts': ['plan-too-young', 'status'],
  'src/core/plan/row-state.ts': ['../page/needs-attention', '../page/failing', 'colour'],
  'src/core/plan/revalidate.ts': ['../core', 'restart-local'],
  'src/core/text/text-lines.ts': ['../page/site-modules', 'publish-notes'],
  'src/registry/config-client.ts': ['../registry', 'config-from', 'refused-by-front'],
  'src/registry/npm-range.ts': ['../core/decision-table/requires', '../core/plan/requires'],
  'src/registry/registry-writer.ts': ['../registry', 'publish-notes'],
  'src/registry/command-documents.ts': ['../registry', '../server/command', 'fleet-commands'],
  'src/server/configs/catalogue-configs.ts': [
    '../server/config-routes',
    '../server/command-routes',
    '../server/fragments',
    '../server/killed-configs',
    '../server/machine-secrets',
    '../cluster/machine',
  ],
  'src/server/routes/fragment-routes.ts': ['../server/fragments', '../cluster/machine'],
  'src/server/routes/group-command-routes.ts': ['../server/group-commands', '../cluster/machine'],
  'src/store/acknowledge.ts': ['../store', 'restart-local'],
  'src/store/outbox.ts': ['../store', '../poller/targets'],
  'src/store/package-folder.ts': ['../store', '../poller/module-setup'],
  'src/store/targets.ts': ['../store', '../poller/targets'],
  bin: ['signals'],
  'examples/monitoring': ['../monitoring/names'],
  'tools/site': ['../docs/search-ranking'],
  examples: ['../expressions', '../server/install', 'poll-hook'],
  'src/cli/agent': ['agent', 'install-unit', 'machine-credentials', 'machine-id', 'prox'],
  'src/base/problem.ts': ['npm-scopes', 'network'],
  'src/cli/base/operator.ts': ['operator'],
  'src/cli/base/output.ts': ['short-output'],
  'src/cli/base/typed-registry.ts': ['typed-registry'],
  'src/cli/edit/published-pin.ts': ['set-pin'],
  'src/host/asked-time.ts': ['../host/asked-time'],
  'src/cli/base/transfer-bar.ts': ['agent-event-words', 'status-line'],
  'src/cli/plain-resolve.ts': ['plain-resolve'],
  'src/cli/user-name.ts': ['operator'],
  'src/cli/base': ['output', 'registry-serve', 'serve-command', 'poll'],
  'src/cli/check': ['check', 'write-schema'],
  'src/cli/clock-state.ts': ['clock-state'],
  'src/cli/completion': ['completion'],
  'src/cli/doctor': ['doctor', 'documents-in-use', 'prox'],
  'src/cli/fleet': ['fleet', 'what-if'],
  'src/cli/history': ['history', 'replay', 'why'],
  'src/cli/plan': ['plan', 'colour'],
  'src/cli/machine/status-command.ts': ['status', 'colour', 'upgrade'],
  'src/cli/base/paint.ts': ['main', 'colour'],
  'src/cli/machine': [
    'floor',
    'hold',
    'machine',
    'quarantine',
    'restart',
    'rollback',
    'status',
    'upgrade',
  ],
  'src/cli/main.ts': ['main', 'output', 'colour', 'registry-serve', 'serve-command', 'poll'],
  'src/cli/metrics': ['metrics', 'agent-metrics', 'poll-metrics', 'registry-metrics'],
  'src/cli/page': ['page', '../page/'],
  'src/cli/module': ['module', 'publish-checked'],
  'src/cli/poll': ['note-documents', 'poll', 'prox', 'unknown-fields', 'watched-requests'],
  'src/cli/registry': ['registry', 'network', 'machine-credentials', 'publish', 'yank'],
  'src/cli/resolve': ['resolve'],
  'src/cli/rollout': ['rollout'],
  'src/cli/serve': ['registry', 'serve-command', 'staged'],
  'src/cli/site': ['../page/site', 'registry-page'],
  'src/config/masked-secrets.ts': ['../config', '../page/config'],
  'src/host/config': ['../page/', 'machine-id'],
  'src/host/full-disk-words.ts': ['poll-disk'],
  'src/host/history': [
    '../host/causes',
    'floor',
    'history',
    'hold',
    'replay',
    'upgrade',
    'why',
    'poll-secrets',
  ],
  'src/host/lint': ['check'],
  'src/host/held-since.ts': ['../host/held-since'],
  'src/host/holding-reader.ts': ['../host/kept-documents', 'unknown-fields'],
  'src/host/kept-documents.ts': ['../host/kept-documents', 'kept-documents', 'agent'],
  'src/host/misspelt-names.ts': ['check', 'plan-endings'],
  'src/host/checked-report.ts': ['check'],
  'src/host/checked-files.ts': ['check', 'doctor', 'lists-and-documents'],
  'src/host/plan/release-notes-of.ts': ['publish-notes'],
  'src/host/plan/machine-plan.ts': ['plan', 'machine-id', '../page/', '../host/downloaded'],
  'src/host/plan': ['plan', 'machine-id', '../page/'],
  'src/host/served/site-commands.ts': ['../host/site-commands', '../host/signed-'],
  'src/host/served/signed-commands.ts': ['../host/signed-'],
  'src/host/served/signed-record.ts': ['../host/signed-'],
  'src/host/served/command-state.ts': ['../host/site-commands'],
  'src/host/served/served-state.ts': ['../host/site-', '../host/killed-served', 'config-from'],
  'src/host/served': ['../host/site-', 'config-from', 'documents-in-use', 'fleet-commands'],
  'src/registry/command-client.ts': ['../host/site-commands', 'refused-by-front'],
  'src/server/fleet/module-outcomes.ts': ['../server/module-outcomes', 'module-outcomes'],
  'src/server/fleet/fleet-failures.ts': ['../server', 'fleet', 'module-outcomes'],
  'src/server/fleet/take-report.ts': ['../server', '../reports/older-image'],
  'src/server/accounts': ['../page/access/account', '../page/account', 'registry-account'],
  'src/server/commands': [
    '../server/command-routes',
    '../server/group-commands',
    '../server/signed-commands',
    '../server/damaged-signatures',
    'group-commands',
    '../cluster/machine-commands',
  ],
  'src/server/routes/command-routes.ts': [
    '../server/command-routes',
    '../server/group-commands',
    '../server/signed-commands',
    '../cluster/machine',
  ],
  'src/server/routes/of-machine.ts': ['../server/config-routes', '../cluster/machine'],
  'src/server/configs/sealed-secrets.ts': ['../cluster/machine-secrets'],
  'src/server/configs/secret-files.ts': ['../server/machine-secrets', '../cluster/machine-secrets'],
  'src/server/routes/secret-routes.ts': ['../server/machine-secrets', '../cluster/machine-secrets'],
  'src/server/routes/behind-documents.ts': ['../cluster/machine'],
  'src/server/configs/machine-change.ts': ['../cluster/machine', '../server/command-routes'],
  'src/core/trust/config-text.ts': ['../config/served-verdict'],
  'src/registry/trust/config-signatures.ts': ['../server/config-routes'],
  'src/registry/trust/operator-signatures.ts': ['../server/config-routes', '../host/signed-'],
  'src/registry/trust/command-signatures.ts': ['../server/signed-commands', '../host/signed-'],
  'src/site/signed-command.ts': ['fleet-commands', 'group-commands'],
  'src/site/signed-group.ts': ['group-commands'],
  'src/site/machine-commands.ts': ['fleet-commands', 'group-commands'],
  'src/server/configs/recorded-changes.ts': ['../page/site-changes'],
  'src/server/configs/noted-changes.ts': ['../server/noted-changes'],
  'src/server/configs/served-by-others.ts': ['../server/served-by-others'],
  'src/core/trust/document-diff.ts': ['../page/site-versions', '../server/config-routes'],
  'src/server/configs': [
    '../server/config-routes',
    '../server/command-routes',
    '../server/damaged-signatures',
    '../server/fragments',
    '../server/machine-secrets',
  ],
  'src/server/routes/config-routes.ts': ['../server/config-routes', '../server/fragments'],
  'src/server/logs/search-records.ts': [...LOG_TESTS, '../page/site-logs'],
  'src/server/logs': LOG_TESTS,
  'src/server/routes/log-routes.ts': [...LOG_TESTS, '../cluster/machine-logs'],
  'src/site/accounts.ts': ['registry-account'],
  'src/site/machine-logs.ts': ['fleet-logs'],
  'src/site/log-text.ts': ['fleet-logs'],
  'src/site/stored-logs.ts': ['../page/site-logs'],
  'src/site/given-commands.ts': ['../page/site-commands'],
  'src/site/served-documents.ts': ['../page/site-versions'],
  'src/site/version-types.ts': ['../page/site-versions', '../page/site-fragments'],
  'src/site/change-history.ts': ['../page/site-changes'],
  'src/site/next-windows.ts': ['../page/site-windows'],
  'src/server/fleet/window-holds.ts': ['../page/site-windows'],
  'src/host/requests/data-move.ts': ['data-move'],
  'src/host/replace-file.ts': ['add'],
  'src/host/requests/lift-words.ts': ['why'],
  'src/host/module-data.ts': ['data-move'],
  'src/cli/data': ['data-move'],
  'src/host/requests': [
    'fleet-commands',
    'floor',
    'hold',
    'machine',
    'quarantine',
    'restart',
    'rollback',
    'unknown-fields',
    'upgrade',
    '../page/',
  ],
  'src/host/npmrc.ts': ['npm'],
  'src/host/npm-settings.ts': ['npm'],
  'src/host/registry-hints.ts': ['npm', 'network', 'registry'],
  'src/host/registry-token.ts': ['npm', 'network', 'registry', '../host/machine-key'],
  'src/host/status': ['status', 'agent-status', 'upgrade', '../page/records'],
  'src/files': ['add', 'backup', 'install-unit', '../agent/launcher', '../agent/system'],
  'src/host': [
    'agent',
    'history',
    'install-unit',
    'machine',
    'network',
    'prox',
    'quarantine',
    'registry',
    'restart',
    'rollback',
    'status',
    'why',
  ],
  // The disk fails in the tests of commands.
  'src/store/claim.ts': ['../store', 'failing-calls'],
  'src/store/saved-lists-table.ts': ['../store', '../registry/'],
  // A command reads the group of a machine.
  'src/core/plan/decide-input.ts': ['../core', 'group-of-machine'],
  'src/registries': ['../registry'],
  // What only fronts do.
  'src/server/catalogue/change-log.ts': ['../cluster/machine'],
  'src/server/catalogue/imported-machines.ts': ['../cluster/imported-machines'],
  'src/server/catalogue/imported-rows.ts': ['../server', '../cluster/trust', '../cluster/imported'],
  'src/server/problem.ts': ['../server', '../cluster/machine-configs'],
  'src/server/routes/read-routes.ts': ['../server', '../cluster/trust', '../cluster/machines'],
  // What a person is told of the network is in the output of commands.
  'src/registry/http/masking.ts': ['short-secrets', '../registry'],
  'src/registry/http/network-failure.ts': ['prox', '../registry'],
  'src/registry/http/open-socket.ts': ['prox', '../registry'],
  'src/registry/http/proxy.ts': ['prox', '../registry'],
  'src/registry/http/retry-after.ts': ['told-answers', '../registry'],
  'src/site/keys.ts': ['keys'],
  'src/cli/join': ['join'],
  'src/server/tokens/invitation.ts': ['../cli/join', '../server/scope'],
  'src/server/routes/join-route.ts': ['../cli/join'],
  'src/site/new-key.ts': ['keys'],
  'src/host/secret-file.ts': ['keys'],
  'src/host/signing-program.ts': ['keys', 'signing'],
  'src/site/store-trust.ts': ['keys'],
  'src/site/signing.ts': ['keys'],
  'src/site': [
    '../page/',
    '../server/older-machines',
    'fleet',
    'module-outcomes',
    'network',
    'prox',
    'publish-dry-run',
    'registry',
    'rollout',
    'what-if',
    'yank',
  ],
};

/** The tests of the page of a site ask for all that it finds. */
const MACHINE_QUERIES: ReadonlySet<string> = new Set([
  'src/server/fleet/machine-queries.ts',
  'src/server/fleet/state-conditions.ts',
]);

/** What lists and downloads of files share. */
const DOWNLOADS: ReadonlySet<string> = new Set([
  'src/registry/http/follow.ts',
  'src/registry/http/redirect.ts',
]);

/**
 * The tests that a mistake in `file` must make fail: those of its own folder, or of the folders that use it. None if the
 * simulator must find it. Throws if it has none: without a filter, vitest would run every test.
 */
export function testsOf({ file, by }: Pick<Plant, 'file' | 'by'>): readonly string[] {
  if (by === 'fleet') return ['test/simulation/fleet.test.ts'];
  if (by !== undefined) return [];
  if (file.startsWith('src/sqlite/')) return ['test/store', 'test/server'];
  if (DOWNLOADS.has(file)) return ['test/registry', 'test/agent/install/fetch-artifact'];
  if (MACHINE_QUERIES.has(file)) return ['test/page/site'];
  const ofCommand = Object.entries(COMMAND_TESTS).find(
    ([path]) => file === path || file.startsWith(`${path}/`),
  );
  if (ofCommand) return ofCommand[1].map((beginning) => join('test/cli', beginning));
  const tests = FOLDERS.filter((folder) => file.startsWith(`${folder.replace('test', 'src')}/`));
  if (tests.length === 0)
    throw new Error(`no tests for ${file}: add its folder to FOLDERS or COMMAND_TESTS`);
  return tests;
}

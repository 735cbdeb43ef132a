import { expect, it } from 'vitest';
import { machineReport } from '../support/machine-report.ts';
import { tokenFor } from '../support/token.ts';
import { testRegistry } from './support/registry.ts';

it.each([
  ['rollout', 'rover-7', 200],
  ['rollout', 'rover-8', 404],
  ['rollout:acme', 'rover-7', 403],
  ['fleet:read', 'rover-7', 403],
  ['machine:rover-7', 'rover-7', 403],
])(
  '[D83] with the scope %s, the answer to the retirement of %s is %i',
  async (scope, id, status) => {
    const registry = testRegistry();
    const asked = async (
      scoped: string,
      [method, path]: readonly [string, string],
      body: object,
    ) => {
      const headers = { authorization: `Bearer ${tokenFor(registry.catalogue, [scoped], method)}` };
      return await registry.ask(method, path, { body, headers });
    };
    await asked('machine:rover-7', ['POST', '/v1/machines/rover-7/reports'], machineReport([1]));
    const answer = await asked(scope, ['PUT', `/v1/fleet/machines/${id}/retired`], {});
    expect(answer.status).toBe(status);
  },
);

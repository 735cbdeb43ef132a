import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';

const RESOLVE = ['resolve', 'acme:lidar', '1.*', '--registry'];

describe('the address of a registry', () => {
  it.each([
    [
      'http://10.1.2.3:8080',
      'a response from the registry at http://10.1.2.3:8080 could be changed in transit\nhint: use https:, or list 10.1.2.3:8080 under allow_http in the update policy',
    ],
    [
      'https://registry.example/?token=x',
      'the address of the registry at https://registry.example has a query or a fragment\nhint: remove everything after the path',
    ],
  ])('is refused: %s', async (address, message) => {
    const { stderr, exit } = await inProcess([...RESOLVE, address]);
    expect([stderr, exit]).toEqual([`error[BAD_ADDRESS]: ${message}\n`, 2]);
  });

  it('comes from the policy, and so does allow_http', async () => {
    const folder = temporaryFolder({
      'policy.json': '{"registry": "http://10.1.2.3:8080", "allow_http": ["10.1.2.3"]}',
      'bad.json': '{"allow_http": 7, "max_index_age": "soon"}',
    });
    const args = ['resolve', 'acme:lidar', '1.*', '--offline', '--policy'];
    const { stderr, exit } = await inProcess([...args, `${folder}/policy.json`]);
    expect([stderr, exit]).toEqual([
      'error[REGISTRY_UNREACHABLE]: offline: the registry http://10.1.2.3:8080 was not contacted, and no list of acme:lidar is saved\n',
      4,
    ]);
    const local = temporaryFolder({
      'policy.json': '{"registry": "lists"}',
      'lists/acme/lidar.json': '{"releases": [{"version": "1.5.0"}]}',
    });
    const listed = await inProcess([...args, `${local}/policy.json`]);
    expect([listed.stdout, listed.exit]).toEqual(['1.5.0\n', 0]);
    const bad = await inProcess([...args, `${folder}/bad.json`]);
    expect([bad.stderr, bad.exit]).toEqual([
      `error[BAD_VALUE]: the policy ${folder}/bad.json has 2 errors\n  because 1:16 BAD_TYPE /allow_http: found a number, expected a list of hosts\n  1:36 BAD_VALUE /max_index_age: "soon" is not a duration, expected a whole number and one of s, m, h, d, at most ten years, such as 5m\nhint: modreg check ${folder}/bad.json --as policy shows them all\n`,
      1,
    ]);
  });
});

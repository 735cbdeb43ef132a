/* A cluster and fronts that end with the test. */
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { startFront, type Front } from './fronts.ts';
import { startCluster, type Cluster, type ClusterOptions } from './nodes.ts';

export async function clusterInTest(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = await startCluster(options);
  onTestFinished(cluster.close);
  return cluster;
}

/** A front with a new file. */
export async function frontInTest(
  { servers }: Cluster,
  args: readonly string[] = [],
): Promise<Front> {
  const options = { args: ['--create', ...args] };
  const front = await startFront(`${temporaryFolder()}/front.db`, servers, options);
  onTestFinished(front.kill);
  return front;
}

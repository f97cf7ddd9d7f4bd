import { readUnusedClusters } from '../../../shared/clouds/cloud-a/key-stores/unused-clusters.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { ReadUnusedClusters, UnusedClusters } from '../../../shared/clouds/cloud-a/key-stores/model.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/get-unused-cloud-hsm-clusters: read from the cloud, nothing is stored. */
export const unusedClusters = operation(
  {
    says: 'Get Unused Cloud-a Clusters',
    body: ReadUnusedClusters,
    answers: UnusedClusters,
    may: 'keymgr-users',
    reads: true,
  },
  async ({ body, context }) => ok({ clusters: await readUnusedClusters(context, body) }),
)

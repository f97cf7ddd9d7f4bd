import { keyKind } from '../keys/kind.ts'
import { placeIn } from '../../../cloud/keys/place.ts'
import type { CloudACluster } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import { kmsOfBody } from '../kms/kind.ts'
import { cloudA } from '../adapter.ts'

/**
 * Active clusters of hardware modules in a region that no store uses, read from the cloud now. Ours: for callers who
 * may add a store.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT, CLOUD_…
 */
export async function readUnusedClusters(
  context: Context,
  where: { readonly kms: string; readonly region: string },
): Promise<CloudACluster[]> {
  const { item: kms } = await kmsOfBody(context, where, 'keystoreadd')
  return cloudA.unusedClusters(await placeIn(keyKind, context, kms, where.region))
}

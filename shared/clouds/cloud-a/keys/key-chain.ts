import { defined } from '../../../base/fields.ts'
import type { Context } from '../../../http/context.ts'
import type { CloudAKeyVersion, KeyChainQuery } from './model.ts'
import { cloudAKeys, type StoredCloudAKey } from './store.ts'
import { localKeys } from '../../../vault/keys/store.ts'
import { may } from '../../../cloud/containers/acl.ts'
import { listedWhole, type ResourceList } from '../../../resource/listed.ts'
import { versionsOf } from '../../../vault/keys/lists/find-key.ts'
import { keyAsOf } from '../../../vault/keys/lifecycle/key-state.ts'
import { findKey, type Found } from '../../../cloud/keys/find-key.ts'
import { viewOfKey } from './key-rules.ts'
import { keyKind, type CloudATypes } from './kind.ts'

type Neighbour = (key: StoredCloudAKey) => string | undefined

/** The keys reachable from `start`, nearest first, until one has no record. One read for each. */
async function reachedFrom(domain: string, start: StoredCloudAKey, next: Neighbour): Promise<StoredCloudAKey[]> {
  const reached: StoredCloudAKey[] = []
  for (let id = next(start); id !== undefined;) {
    const stored = await cloudAKeys.get(domain, id)
    if (stored === undefined) break
    reached.push(stored.item)
    id = next(stored.item)
  }
  return reached
}

/** The key with all its predecessors and successors, oldest first. */
async function chainOf(domain: string, key: StoredCloudAKey): Promise<StoredCloudAKey[]> {
  const [before, after] = await Promise.all([
    reachedFrom(domain, key, ({ rotated_from }) => rotated_from),
    reachedFrom(domain, key, ({ rotated_to }) => rotated_to),
  ])
  return [...before.reverse(), key, ...after]
}

async function localVersions(domain: string, chain: readonly StoredCloudAKey[]): Promise<Map<string, number>> {
  const ids = chain.flatMap(({ local_key_id }) => local_key_id ?? [])
  const found = await localKeys.getMany(domain, [...new Set(ids)])
  return new Map(found.map(({ item }) => [item.id, item.version]))
}

/** Generations of a hosted key: one for each version of its local key. */
async function hostedGenerations({ caller, now }: Context, key: StoredCloudAKey): Promise<CloudAKeyVersion[]> {
  const versions = await versionsOf(caller.domain.id, key.local_key_name ?? '')
  return versions.map(({ item }) => ({
    id: key.id,
    version: item.version,
    is_primary: item.latest,
    state: keyAsOf(item, now).state,
    local_key_id: item.id,
    local_key_version: item.version,
    created: item.createdAt,
  }))
}

/** Generations of any other key: its chain of rotations, as far as the caller may see it. */
async function replacedGenerations(
  { caller }: Context,
  { stored, container: kms }: Found<CloudATypes>,
): Promise<CloudAKeyVersion[]> {
  const domain = caller.domain.id
  const chain = await chainOf(domain, stored.item)
  const versions = await localVersions(domain, chain)
  return chain
    .map((key, version) => ({ key, version }))
    .filter(({ key }) => may(caller, kms.item, viewOfKey(key)))
    .map(({ key, version }): CloudAKeyVersion => {
      const { local_key_id, cloud_a_param, createdAt } = key
      const local_key_version = local_key_id === undefined ? undefined : versions.get(local_key_id)
      return {
        id: key.id,
        version,
        is_primary: version === chain.length - 1,
        state: cloud_a_param.KeyState,
        ...defined({ local_key_id, local_key_version }),
        created: cloud_a_param.CreationDate ?? createdAt,
      }
    })
}

/**
 * A key's generations, oldest first. Ours: counted from 0, like versions of local keys; a generation whose record was
 * deleted ends the chain.
 * @throws Refusal NOT_FOUND
 */
export async function listGenerations(
  context: Context,
  id: string,
  query: KeyChainQuery,
): Promise<ResourceList<CloudAKeyVersion>> {
  const found = await findKey(keyKind, context, id)
  const { item: key } = found.stored
  const generations = await (key.local_hosted_params
    ? hostedGenerations(context, key)
    : replacedGenerations(context, found))
  return listedWhole(generations, query, ({ created }) => created)
}

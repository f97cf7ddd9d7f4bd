import type { Stored } from '../../../store/entity.ts'
import { KEY_TAG, type CloudAParam } from './model.ts'
import { cloudAKeys, type StoredCloudAKey } from './store.ts'

/** Fields of a record that describe the origin of a key's material. */
const MATERIAL = ['key_material_origin', 'key_source', 'local_key_id', 'local_key_name', 'materials'] as const
/** Fields of a record that describe the succession of keys. */
const CHAIN = ['rotated_from', 'rotated_to', 'rotated_at', 'rotation_status'] as const

/**
 * The record in the entry in which this service created a key, when the key is synchronized through another entry of
 * the same account. The key's tag names that record.
 */
export async function recordOfMaker(domain: string, param: CloudAParam): Promise<Stored<StoredCloudAKey> | undefined> {
  const id = param.Tags.find(({ TagKey }) => TagKey === KEY_TAG)?.TagValue
  const stored = id === undefined ? undefined : await cloudAKeys.get(domain, id)
  return stored?.item.cloud_a_param.Arn === param.Arn ? stored : undefined // a tag could be copied to another key
}

/**
 * A record completed with facts that only the maker's record has about the same key; the same object when none is
 * missing. Ours: the origin of material that was replaced since is not copied.
 */
export async function withHistory(domain: string, key: StoredCloudAKey): Promise<StoredCloudAKey> {
  const maker = (await recordOfMaker(domain, key.cloud_a_param))?.item
  if (maker === undefined || maker.id === key.id) return key
  const { CurrentKeyMaterialId: material } = key.cloud_a_param
  const isSameMaterial = material === maker.cloud_a_param.CurrentKeyMaterialId
  const wanted = [
    ...(key.local_key_id === undefined && isSameMaterial ? MATERIAL : []),
    ...(key.rotated_to === undefined ? CHAIN : []),
  ]
  const learnt = wanted.filter((field) => {
    const value = maker[field]
    return value !== undefined && JSON.stringify(value) !== JSON.stringify(key[field])
  })
  if (learnt.length === 0) return key
  return { ...key, ...Object.fromEntries(learnt.map((field) => [field, maker[field]])) }
}

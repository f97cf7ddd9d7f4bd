import type { Stored } from '../../../store/entity.ts'
import { KEY_TAG, type CloudAParam } from './model.ts'
import { cloudAKeys, type StoredCloudAKey } from './store.ts'

/** Fields of a record that say where a key's material is from. */
const MATERIAL = ['key_material_origin', 'key_source', 'local_key_id', 'local_key_name', 'materials'] as const
/** Fields of a record that say which key succeeded which. */
const CHAIN = ['rotated_from', 'rotated_to', 'rotated_at', 'rotation_status'] as const

/**
 * The record of the entry in which this service made a key, for a key that is read in through another entry of the same
 * account: its tag names that record.
 */
export async function recordOfMaker(domain: string, param: CloudAParam): Promise<Stored<StoredCloudAKey> | undefined> {
  const id = param.Tags.find(({ TagKey }) => TagKey === KEY_TAG)?.TagValue
  const stored = id === undefined ? undefined : await cloudAKeys.get(domain, id)
  return stored?.item.cloud_a_param.Arn === param.Arn ? stored : undefined // a tag can be copied to any key
}

/**
 * A record with what the maker's record knows of the same key and it does not know itself; the very same when it knows
 * all of it. Ours: material that was replaced since is not the maker's.
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

import * as z from 'zod'
import { CloudAKey } from './model.ts'
import { HostedKeyWishes } from '../hosted-keys/model.ts'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'
import { materialFamilies } from '../../../cloud/keys/key-users.ts'
import { joinedFamily } from '../../../work/schedule/job-operations/rotated.ts'
import { extended, object } from '../../../base/lazy-fields.ts'

/** A local key whose material a cloud key has. */
const MaterialSource = object(() => ({ local_key_id: z.string(), local_key_name: z.string().optional() }))
export type MaterialSource = z.infer<typeof MaterialSource>

const StoredCloudAKey = extended(CloudAKey, () => ({
  /** by the cloud's id of each generation of material that we imported */
  materials: z.record(z.string(), MaterialSource).optional(),
  /** why the last requested rotation of the material failed */
  rotation_refused: z.string().optional(),
  /** for a hosted key that is not linked: the settings of the cloud's future key */
  when_linked: HostedKeyWishes.optional(),
  /** for a hosted key: the saga that is about to link it */
  linking: z.string().optional(),
}))
export type StoredCloudAKey = z.infer<typeof StoredCloudAKey>

/** The family of the keys in one place (a region of a container), by the cloud's ids. */
export const placeOfKeys = (kmsId: string, region: string): string => `place:${kmsId}/${region}`
/** The family of the keys whose policy is from a template. */
export const keysOfTemplate = (templateId: string): string => `template:${templateId}`

/** The family of the hosted keys in one key store of keymgr; by their ids. */
export const keysOfStore = (storeId: string): string => `store:${storeId}`
/** The family of the hosted keys over a local key, in any of its versions; by their ids. */
export const hostedKeysFrom = (localKeyName: string): string => `source:${localKeyName}`

/** The set of a container's keys in any key store, ours or the cloud's. */
export const keysInStores = (kmsId: string): string => `stores:${kmsId}`

/** A hosted key's store, and the name of its local key. `undefined` for any other key. */
const hostingOf = ({ local_hosted_params: hosted, local_key_name: source }: StoredCloudAKey) =>
  hosted === undefined || source === undefined ? undefined : { store: hosted.custom_key_store_id, source }
/** Ours: keys in a store of keymgr are found by the store's record id and by the cloud's id. */
function storesOfKey({ custom_key_store_id: store, cloud_a_param: { CustomKeyStoreId: ref } }: StoredCloudAKey) {
  const names = [...new Set([store, ref])].filter((name) => name !== undefined)
  return names.length === 0 ? undefined : names
}

/** Versions of local keys that its generations of material are from. The source of a hosted key stays here. */
const sourcesOf = ({ local_hosted_params: hosted, local_key_id: source, materials = {} }: StoredCloudAKey) => [
  ...(hosted === undefined ? [source] : []),
  ...Object.values(materials).map(({ local_key_id }) => local_key_id),
]

/**
 * Reads served: a key by id; by container, region and the cloud's own id; all keys; those of a container; those of a
 * template; those that joined a job configuration; those in any key store; those in one store of keymgr; those over a
 * local key; those with material of a version of one. Ours: a key that its cloud no longer has stays, with `gone`, so
 * that reports remain complete. Fields that change often and that no filter reads (`updatedAt`, the description, the
 * policy) are not in the list row, so changing them is one write. A hosted key is in the family of its place once it is
 * linked.
 */
export const cloudAKeys = entity({
  name: 'cloud-a-key',
  schema: StoredCloudAKey,
  id: ({ id }) => id,
  unique: (key) => {
    const hosting = hostingOf(key)
    return hosting === undefined ? {} : { source: [`${hosting.store}/${hosting.source}`] }
  },
  sets: (key) => ['all', `kms:${key.kms_id}`, ...(storesOfKey(key) === undefined ? [] : [keysInStores(key.kms_id)])],
  families: (key): Family[] => {
    const { id, kms_id, region, policy_template_id: template, cloud_a_param, labels } = key
    const hosting = hostingOf(key)
    return [
      ...(cloud_a_param.KeyID === ''
        ? []
        : [{ name: placeOfKeys(kms_id, region), key: cloud_a_param.KeyID, exclusive: true as const }]),
      ...(template === undefined ? [] : [{ name: keysOfTemplate(template), key: id }]),
      ...joinedFamily({ id, labels }),
      ...materialFamilies(key, sourcesOf(key)),
      ...(hosting === undefined ? [] : [hostedKeysFrom(hosting.source), keysOfStore(hosting.store)]).map((name) => ({
        name,
        key: id,
      })),
    ]
  },
  row: ({ cloud_a_param: param, ...key }) => ({
    id: key.id,
    kms: key.kms,
    kms_id: key.kms_id,
    region: key.region,
    cloud_name: key.cloud_name,
    gone: key.gone,
    key_material_origin: key.key_material_origin,
    job_config_id: key.labels?.job_config_id,
    custom_key_store_id: storesOfKey({ ...key, cloud_a_param: param }),
    linked_state: key.local_hosted_params?.linked_state,
    blocked: key.local_hosted_params?.blocked,
    rotated_from: key.rotated_from,
    keyid: param.KeyID,
    arn: param.Arn,
    account_id: param.AccountId,
    alias: param.Alias,
    tags: Object.fromEntries(param.Tags.map(({ TagKey, TagValue }) => [TagKey, TagValue])),
    key_state: param.KeyState,
    enabled: param.Enabled,
    origin: param.Origin,
    customer_master_key_spec: param.CustomerMasterKeySpec,
    key_usage: param.KeyUsage,
    key_manager: param.KeyManager,
    multi_region: param.MultiRegion,
    multi_region_key_type: param.MultiRegionConfiguration?.MultiRegionKeyType,
    valid_to: param.ValidTo,
    createdAt: key.createdAt,
  }),
})
export type CloudAKeyRow = ReturnType<typeof cloudAKeys.row>

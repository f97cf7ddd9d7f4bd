import { assertNewTags } from '../adapter/tags.ts'
import type { Context } from '../../../http/context.ts'
import { uuid } from '../../../base/ids.ts'
import type { CloudAKey, CloudAParam } from '../keys/model.ts'
import type { CreateHostedKey, HostedKeyWishes } from './model.ts'
import type { StoredCloudAKey } from '../keys/store.ts'
import type { StoredCloudAKms } from '../kms/store.ts'
import type { Stored } from '../../../store/entity.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import type { Found } from '../key-stores/find-key-store.ts'
import { tellOfKey } from '../../../cloud/keys/find-key.ts'
import { newKeyRecord, presentKey } from '../keys/records.ts'
import { keyKind } from '../keys/kind.ts'
import { linking, stageHosted } from './linking.ts'
import { HOSTED_SPEC, linkingOf, policyOf } from './plan-linking.ts'
import { findSourceKey } from './source-key.ts'
import { findStoreInFront } from './store-in-front.ts'

/** Ours: the description in a record while the cloud has no key yet. */
const paramUnlinked = ({ account_id }: StoredCloudAKms): CloudAParam => ({
  AccountId: account_id,
  Arn: '',
  KeyID: '',
  CustomerMasterKeySpec: HOSTED_SPEC,
  KeyUsage: 'ENCRYPT_DECRYPT',
  KeyState: 'Unlinked',
  Enabled: false,
  Origin: 'EXTERNAL_KEY_STORE',
  Alias: [],
  Tags: [],
  KeyRotationEnabled: false,
})

/** The record of a hosted key that is not linked. */
function unlinkedRecord(
  { caller, now }: Context,
  { stored: { item: store }, kms: { item: kms } }: Found,
  source: StoredLocalKey,
  { blocked, source_key_tier }: CreateHostedKey['local_hosted_params'],
): StoredCloudAKey {
  return newKeyRecord(
    caller.domain.id,
    kms,
    store.region,
    { param: paramUnlinked(kms) },
    {
      id: uuid(now),
      now,
      key_material_origin: 'keymgr',
      rotation_status: '',
      custom_key_store_id: store.id,
      local_key_id: source.id,
      local_key_name: source.name,
      local_hosted_params: {
        blocked,
        linked_state: false,
        source_key_id: source.id,
        source_key_tier,
        custom_key_store_id: store.id,
      },
    },
  )
}

/**
 * Creates a key whose material is a local key. If it is to be linked, the cloud creates its own key in front of it,
 * which requires an answer from our data plane; after a refusal nothing is left. If not, the cloud is not called.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT, NAME_TAKEN when the source key is in this
 * store already, and refusals of the cloud
 */
export function createHostedKey(context: Context, body: CreateHostedKey): Promise<Stored<CloudAKey>> {
  const { local_hosted_params: params, ...wishes } = body
  const begin = async (): Promise<{ found: Found; record: StoredCloudAKey }> => {
    const found = await findStoreInFront(context, params.custom_key_store_id)
    const source = await findSourceKey(context, params.source_key_id)
    return { found, record: unlinkedRecord(context, found, source, params) }
  }
  if (!params.linked_state) return begin().then((begun) => createUnlinked(context, begun, wishes))
  return carryOut(context, linking, async () => {
    const { found, record } = await begin()
    const input = { ...(await linkingOf(context, found, record.id, wishes)), record }
    return { id: record.id, container: record.kms_id, input }
  })
}

async function createUnlinked(
  context: Context,
  { found: { kms }, record }: { readonly found: Found; readonly record: StoredCloudAKey },
  wishes: HostedKeyWishes,
): Promise<Stored<CloudAKey>> {
  assertNewTags(wishes.cloud_a_param.Tags)
  await policyOf(context, kms.item, wishes)
  const key = { ...record, when_linked: wishes }
  await stageHosted(context, key)
  tellOfKey(keyKind, context, key)
  return presentKey({ item: key, rev: 1 }, kms.item)
}

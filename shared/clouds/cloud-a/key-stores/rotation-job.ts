import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { CustomKeyStore } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import { without } from '../../../base/fields.ts'
import { joinConfig } from '../../../work/schedule/configs/attachments.ts'
import { NAME } from '../name.ts'
import { findKeyStoreAnywhere, findKeyStoreFor, localParamsOf } from './find-key-store.ts'
import { changeStore } from './store-work.ts'

/**
 * Adds a linked store to the job configuration that is to rotate its credentials, and removes it from a former one.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT for a store that is not linked, RULE_BROKEN for a
 * configuration of another kind
 */
export async function enableCredentialRotation(
  context: Context,
  id: string,
  { job_config_id }: { readonly job_config_id: string },
): Promise<Stored<CustomKeyStore>> {
  const found = await findKeyStoreFor(context, id, 'keystoreupdate')
  const { item: store } = found.stored
  localParamsOf(store)
  if (!store.linked_state) throw new Refusal('STATE_CONFLICT', `The key store ${store.name} is not linked.`)
  await joinConfig(context, job_config_id, { operation: 'keymgr_xks_credential_rotation', cloud: NAME })
  return changeStore(context, found, () => ({ ...store, labels: { job_config_id } }))
}

/**
 * Removes a store from its job configuration, which stops creating credentials for it. Ours: also in an archived
 * container, since it only stops something.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT when it has none
 */
export async function disableCredentialRotation(context: Context, id: string): Promise<Stored<CustomKeyStore>> {
  const found = await findKeyStoreAnywhere(context, id, 'keystoreupdate')
  const { name, labels } = found.stored.item
  if (labels === undefined) throw new Refusal('STATE_CONFLICT', `No job rotates the credentials of ${name}.`)
  return changeStore(context, found, (store) => without(store, 'labels'))
}

import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import type { CreateKeyInStore } from '../keys/bodies.ts'
import type { CloudAKey } from '../keys/model.ts'
import { HARDWARE } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { choosePolicy } from '../keys/policy-inputs.ts'
import { creatingCloudA, specOf } from '../keys/create-key.ts'
import { findKeyStoreFor, refOf } from './find-key-store.ts'
import { asItIsNow, assertState } from './store-work.ts'

/**
 * Creates a symmetric key in the hardware modules of a store.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT unless the store is of that kind and
 * `CONNECTED`, and refusals of the cloud
 */
export const createKeyInStore = (
  context: Context,
  storeId: string,
  body: CreateKeyInStore,
): Promise<Stored<CloudAKey>> =>
  carryOut(context, creatingCloudA, async () => {
    const found = await findKeyStoreFor(context, storeId, 'cloudhsmkeycreate')
    const { item: store } = found.stored
    if (store.cloud_a_param.custom_key_store_type !== HARDWARE)
      throw new Refusal('STATE_CONFLICT', `The key store ${store.name} is not one of hardware modules.`)
    const ref = refOf(store)
    assertState(await asItIsNow(context, found), 'CONNECTED')
    const { cloud_a_param: param } = body
    const chosen = await choosePolicy(context, found.kms.item, { ...body, Policy: param.Policy })
    const symmetric = { ...param, CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT' } as const
    const id = uuid(context.now)
    const home = { container: store.kms_id, region: store.region }
    const spec = { ...specOf({ cloud_a_param: symmetric }, chosen), keyStore: { id: ref } }
    return { id, container: store.kms_id, input: { id, home, spec, known: chosen.lists } }
  })

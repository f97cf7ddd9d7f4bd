import { creating } from '../../../cloud/keys/creation.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { planned, vaultOfBody, workOn } from '../items/creation.ts'
import { assertVaultHolds, keyKind, type KeyTypes } from './kind.ts'
import type { CloudBKey, CreateCloudBKey } from './model.ts'

/** Creates a key, or a version of one: with material that the cloud generates, or with a local key's. */
export const creatingCloudBKey = creating('create-cloud-b-key', keyKind)

/** @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT, and refusals of the cloud */
export const createKey = (context: Context, body: CreateCloudBKey): Promise<Stored<CloudBKey>> =>
  carryOut(context, creatingCloudBKey, async () => {
    const { key_name: name, key_vault, cloud_b_param: param, exportable, release_policy } = body
    const vault = await vaultOfBody(context, key_vault, 'keycreate')
    assertVaultHolds(vault, param.kty.endsWith('-HSM'), 'cloud_b_param/kty')
    const input = planned<KeyTypes>(context, vault, { name, ...param, exportable, release_policy })
    return workOn(keyKind, input)
  })

import { ruleBroken } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import { findContainerFor } from '../../../cloud/containers/find-container.ts'
import { creating, type Creation } from '../../../cloud/keys/creation.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/material/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { shapeFor } from '../adapter/specs.ts'
import { isExternalVault } from '../external/external.ts'
import { vaultKind } from '../vaults/kind.ts'
import { keyKind, type CloudDTypes } from './kind.ts'
import type { CloudDKey, CreateCloudDKey, UploadCloudDKey } from './model.ts'

/** Creates a key, with the cloud's own material or with that of a local key. */
export const creatingCloudD = creating('create-cloud-d-key', keyKind)

/** The key to create in the vault of a body. @throws Refusal NOT_FOUND, ACTION_DENIED */
async function planned(
  context: Context,
  vault: string,
  action: string,
): Promise<Pick<Creation<CloudDTypes>, 'id' | 'home'>> {
  const field = { pointer: '#/vault', detail: 'is no vault that you may see' }
  const { item } = await findContainerFor(vaultKind, context, vault, action, field)
  if (isExternalVault(item)) throw ruleBroken('vault', 'must be a vault at the cloud')
  return { id: uuid(context.now), home: { container: item.id, region: '' } }
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, and the cloud's own */
export const createKey = (context: Context, { vault, ...spec }: CreateCloudDKey): Promise<Stored<CloudDKey>> =>
  carryOut(context, creatingCloudD, async () => {
    const made = await planned(context, vault, 'keycreate')
    return { id: made.id, container: made.home.container, input: { ...made, spec } }
  })

/** @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, UNEXPORTABLE, STATE_CONFLICT, and the cloud's own */
export const uploadKey = (context: Context, body: UploadCloudDKey): Promise<Stored<CloudDKey>> =>
  carryOut(context, creatingCloudD, async () => {
    const { vault, source_key_identifier: named, source_key_tier: _tier, ...wanted } = body
    const made = await planned(context, vault, 'keyupload')
    const local = await findKeyForCloud(context, named, '#/source_key_identifier')
    const spec = { ...wanted, ...shapeFor(shapeOf(local), '#/source_key_identifier') }
    return { id: made.id, container: made.home.container, input: { ...made, spec, local_key_id: local.id } }
  })

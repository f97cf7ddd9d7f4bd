import { uuid } from '../../../base/ids.ts'
import { findContainerFor } from '../../../cloud/containers/find-container.ts'
import { creating, type Creation } from '../../../cloud/keys/creation.ts'
import { assertNameFree } from '../../../cloud/keys/versions/versioned-keys.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { ringKind } from '../rings/kind.ts'
import { keyKind, type CloudCTypes } from './kind.ts'
import type { CloudCKey, CreateCloudCKey } from './model.ts'

/**
 * Creates a key: with material that the cloud generates, with a local key's, or without versions, for later imports.
 */
export const creatingCloudC = creating('create-cloud-c-key', keyKind)

/** The saga input of a key in a ring that a body names. @throws Refusal NOT_FOUND, ACTION_DENIED, NAME_TAKEN */
export async function planned(
  context: Context,
  { key_ring, cloud_c_params: spec }: CreateCloudCKey,
  action: string,
): Promise<Creation<CloudCTypes>> {
  const field = { pointer: '#/key_ring', detail: 'is no key ring that you may see' }
  const { item: ring } = await findContainerFor(ringKind, context, key_ring, action, field)
  await assertNameFree(keyKind, context, ring, spec.key_name, '#/cloud_c_params/key_name')
  return { id: uuid(context.now), home: { container: ring.id, region: '' }, spec }
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, NAME_TAKEN, RULE_BROKEN, STATE_CONFLICT, and refusals of the cloud */
export const createKey = (context: Context, body: CreateCloudCKey): Promise<Stored<CloudCKey>> =>
  carryOut(context, creatingCloudC, async () => {
    const input = await planned(context, body, 'keycreate')
    return { id: input.id, container: input.home.container, input }
  })

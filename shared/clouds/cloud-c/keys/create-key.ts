import { uuid } from '../../../base/ids.ts'
import { findContainerFor } from '../../../cloud/containers/find-container.ts'
import { creatingKey } from '../../../cloud/keys/make-key.ts'
import { assertNameFree, makingVersioned } from '../../../cloud/keys/versions/make-versioned-key.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import type { CloudCKeySpec } from '../adapter/types.ts'
import { ringKind } from '../rings/kind.ts'
import { reachRing, versionKind, type CloudCTypes } from './kind.ts'
import type { CloudCKey, CreateCloudCKey } from './model.ts'

/** Input of work that makes a key. */
export interface Making {
  /** of the record to be, and the mark on the cloud's key */
  readonly id: string
  readonly ring_id: string
  readonly spec: CloudCKeySpec
}

/** How keys of a ring are made. */
export const making = makingVersioned<CloudCTypes, Making>(versionKind, {
  containerIdOf: ({ ring_id }) => ring_id,
  refOf: ({ spec: { key_name } }) => key_name,
  reach: reachRing,
})

/** Makes a key whose material is the cloud's, or one without versions that waits for imported ones. */
export const creatingCloudC = creatingKey('create-cloud-c-key', making)

/** A key to be made in a ring that a body names. @throws Refusal NOT_FOUND, ACTION_DENIED, NAME_TAKEN */
export async function planned(
  context: Context,
  { key_ring, cloud_c_params: spec }: CreateCloudCKey,
  action: string,
): Promise<Making> {
  const field = { pointer: '#/key_ring', detail: 'is no key ring that you may see' }
  const { item: ring } = await findContainerFor(ringKind, context, key_ring, action, field)
  await assertNameFree(versionKind, context, ring, spec.key_name, '#/cloud_c_params/key_name')
  return { id: uuid(context.now), ring_id: ring.id, spec }
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, NAME_TAKEN, RULE_BROKEN, STATE_CONFLICT, and the cloud's own */
export const createKey = (context: Context, body: CreateCloudCKey): Promise<Stored<CloudCKey>> =>
  carryOut(context, creatingCloudC, async () => {
    const input = await planned(context, body, 'keycreate')
    return { id: input.id, container: input.ring_id, input }
  })

import { defined } from '../../../base/fields.ts'
import { type NewVersion } from '../../../cloud/keys/model.ts'
import { addingVersion, addVersionTo, type AddingVersion } from '../../../cloud/keys/versions/add-version.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/material/leave.ts'
import { assertMaterialFits, localFor } from '../adapter/specs.ts'
import { keyKind, type DatacustTypes } from '../keys/kind.ts'
import type { DatacustVersion } from './model.ts'

interface Adding extends AddingVersion {
  readonly kek_id?: string | undefined
}

/** Creates a version, which the key uses from then on. */
export const addingDatacustVersion = addingVersion<DatacustTypes, Adding>(keyKind, 'add-datacust-version', {
  specOf: ({ kek_id }) => ({ kek_id }),
  use: () => Promise.resolve(),
})

/** @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN, UNEXPORTABLE, and the cloud's own */
export const addVersion = (
  context: Context,
  key_id: string,
  { source_key_identifier: named }: NewVersion,
): Promise<Stored<DatacustVersion>> =>
  addVersionTo(keyKind, addingDatacustVersion, context, key_id, 'keyrotate', async (key) => {
    keyKind.assertManaged(key)
    if (named === undefined) return { key_id }
    const pointer = '#/source_key_identifier'
    const local = await findKeyForCloud(context, named, pointer)
    assertMaterialFits(key.datacust_param, shapeOf(local), pointer)
    return { key_id, local_key_id: local.id, ...defined({ kek_id: key.kek_id }) }
  })

/** Adds the version of a scheduled rotation: with the cloud's own material, or from a new local key. */
export const rotate = (context: Context, key_id: string, isNative: boolean): Promise<Stored<DatacustVersion>> =>
  addVersionTo(keyKind, addingDatacustVersion, context, key_id, 'keyrotate', (key) => {
    keyKind.assertManaged(key)
    if (isNative) return { key_id }
    return { key_id, new_local_key: localFor(key.datacust_param), ...defined({ kek_id: key.kek_id }) }
  })

import { ruleBroken } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import { findContainerFor } from '../../../cloud/containers/find-container.ts'
import { creating } from '../../../cloud/keys/creation.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/material/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { assertPossible, kindOf } from '../adapter/specs.ts'
import type { DatacustKeySpec } from '../adapter/types.ts'
import { groupKind } from '../groups/kind.ts'
import { DATACUST_CURVES } from '../param.ts'
import type { StoredDatacustGroup } from '../groups/store.ts'
import { keyKind } from './kind.ts'
import type { CreateDatacustKey, DatacustKey, UploadDatacustKey } from './model.ts'
import { noticeOtherOperations } from './notice-operations.ts'

/** Creates a key, with the cloud's own material or with that of a local key. */
const created = creating('create-datacust-key', keyKind)
export const creatingDatacust: typeof created = {
  ...created,
  settle: async (context, creation, made) => {
    const key = await created.settle(context, creation, made)
    const { caller, changes, now } = context
    noticeOtherOperations(changes, caller.domain.id, key.item, creation.spec.operations, now)
    return key
  },
}

/** The group of a body. @throws Refusal NOT_FOUND, NAME_TAKEN for an ambiguous name, ACTION_DENIED */
async function groupFor(context: Context, group: string, action: string): Promise<StoredDatacustGroup> {
  const field = { pointer: '#/group', detail: 'is no group that you may see' }
  return (await findContainerFor(groupKind, context, group, action, field)).item
}

const planned = (context: Context, { id: container }: StoredDatacustGroup, spec: DatacustKeySpec) => {
  const id = uuid(context.now)
  return { id, container, input: { id, home: { container, region: '' }, spec } }
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, and the cloud's own */
export const createKey = (
  context: Context,
  { group: named, ...body }: CreateDatacustKey,
): Promise<Stored<DatacustKey>> =>
  carryOut(context, creatingDatacust, async () => {
    const group = await groupFor(context, named, 'keycreate')
    const { curve, size = curve === undefined ? 0 : DATACUST_CURVES[curve].bits } = body
    const spec = { ...body, size }
    assertPossible(group.keystore_provider, spec)
    return planned(context, group, spec)
  })

/** @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, UNEXPORTABLE, STATE_CONFLICT, and the cloud's own */
export const uploadKey = (context: Context, body: UploadDatacustKey): Promise<Stored<DatacustKey>> =>
  carryOut(context, creatingDatacust, async () => {
    const { group: named, source_key_identifier: source, source_key_tier: _tier, type, ...wanted } = body
    const group = await groupFor(context, named, 'keyupload')
    const pointer = '#/source_key_identifier'
    const local = await findKeyForCloud(context, source, pointer)
    const kind = kindOf(shapeOf(local), pointer)
    if (kind.type !== type) throw ruleBroken('type', `must be ${kind.type}, as the source key is`)
    const spec = { ...wanted, ...kind }
    assertPossible(group.keystore_provider, spec)
    const { input, ...plan } = planned(context, group, spec)
    return { ...plan, input: { ...input, local_key_id: local.id } }
  })

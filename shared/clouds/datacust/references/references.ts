import { Refusal, ruleBroken, type BrokenField } from '../../../base/errors.ts'
import { defined } from '../../../base/fields.ts'
import { uuid } from '../../../base/ids.ts'
import { actionsOn, refreshing, type KeyAction } from '../../../cloud/keys/act-on-key.ts'
import { creating } from '../../../cloud/keys/creation.ts'
import { findKey, findKeyFor } from '../../../cloud/keys/find-key.ts'
import { containersAsked, listKeys } from '../../../cloud/keys/list-keys.ts'
import { removeKey } from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import { decide } from '../../../http/decisions.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import type { DatacustReferenceChange } from '../adapter/types.ts'
import { datacustReferences } from '../adapter.ts'
import { groupKind } from '../groups/kind.ts'
import { keyKind, VIEW } from '../keys/kind.ts'
import type { StoredDatacustKey } from '../keys/store.ts'
import { referenceKind, type ReferenceTypes } from './kind.ts'
import type {
  CreateDatacustReference,
  DatacustReference,
  DatacustReferenceQuery,
  UpdateDatacustReference,
} from './model.ts'

/** Creates a reference at the cloud. */
export const creatingReference = creating('create-datacust-reference', referenceKind)

const KEY: BrokenField = { pointer: '#/key_id', detail: 'is no key that you may see' }

/**
 * The key that a body names. Ours: a caller who may not read a key makes no reference to it.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT for a key that is gone
 */
async function keyNamed(context: Context, id: string): Promise<StoredDatacustKey> {
  const { item: key } = (await findKey(keyKind, context, id, KEY)).stored
  const { refusalOf } = await decide(context.caller, { action: 'ReadDatacustKey', may: 'keymgr-users' }, context.now)
  const refusal = refusalOf(key)
  if (refusal !== undefined) throw refusal
  keyKind.assertManaged(key)
  return key
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, and the cloud's own */
export const createReference = (
  context: Context,
  { name, key_id, allow_underlying_key_exchange }: CreateDatacustReference,
): Promise<Stored<DatacustReference>> =>
  carryOut(context, creatingReference, async () => {
    const key = await keyNamed(context, key_id)
    await findKeyFor(keyKind, context, key_id, 'keycreate', KEY)
    const id = uuid(context.now)
    const container = key.cckm_group_id
    const spec = { name, datacust_key_id: key.datacust_param.id, allow_underlying_key_exchange }
    return { id, container, input: { id, home: { container, region: '' }, spec } }
  })

type Action<Args extends object = Readonly<Record<string, never>>> = KeyAction<ReferenceTypes, Args>

const update: Action<DatacustReferenceChange> = {
  may: 'keyupdate',
  check: ({ datacust_key_id: now, allow_underlying_key_exchange: isAllowed }, { datacust_key_id: next = now }) => {
    if (next !== now && !isAllowed)
      throw new Refusal('STATE_CONFLICT', 'The key of this dynamic reference cannot be exchanged.')
  },
  call: async (place, reference, change) => {
    if (Object.keys(change).length > 0) await datacustReferences.update(place, referenceKind.refOf(reference), change)
  },
}
const remove: Action = {
  may: 'keydelete',
  call: (place, reference) => datacustReferences.remove(place, referenceKind.refOf(reference)),
}

/** Actions on one reference: a few calls that are safe to repeat. */
export const {
  saga: actingOnReference,
  act,
  doing,
} = actionsOn(referenceKind, 'act-on-datacust-reference', { update, delete: remove, refresh: refreshing })

const sorted = (texts: readonly string[]): string => [...texts].sort().join()

/** @throws Refusal RULE_BROKEN for a key of another group, type or operations than the present one, if it has a record */
async function assertAlike(context: Context, referenceId: string, key: StoredDatacustKey): Promise<void> {
  const { item: reference } = (await findKey(referenceKind, context, referenceId)).stored
  if (key.cckm_group_id !== reference.cckm_group_id) throw ruleBroken('key_id', 'must be a key of the same group')
  if (reference.key_id === undefined || reference.key_id === key.id) return
  const stored = await keyKind.entity.get(context.caller.domain.id, reference.key_id)
  const [was, is] = [stored?.item.datacust_param ?? key.datacust_param, key.datacust_param]
  if (was.type !== is.type || sorted(was.operations) !== sorted(is.operations))
    throw ruleBroken('key_id', 'must be a key of the same type and operations')
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT, RULE_BROKEN, and the cloud's own */
export async function updateReference(
  context: Context,
  id: string,
  { name, key_id }: UpdateDatacustReference,
): Promise<Stored<DatacustReference>> {
  await findKeyFor(referenceKind, context, id, 'keyupdate')
  const key = key_id === undefined ? undefined : await keyNamed(context, key_id)
  if (key !== undefined) await assertAlike(context, id, key)
  return act(context, 'update', id, defined({ name, datacust_key_id: key?.datacust_param.id }))
}

/** The references that the caller may see. */
export async function listReferences(
  context: Context,
  query: DatacustReferenceQuery,
): Promise<ResourceList<DatacustReference>> {
  const asked = { named: query.group, ids: undefined }
  return listKeys(referenceKind, context, query, {
    containers: await containersAsked<ReferenceTypes>(groupKind, context, asked, [VIEW], 'group'),
    patterns: { name: query.name },
    own: ['group'],
    tests: [],
    narrowBy: 'group, createdAfter and createdBefore',
  })
}

/**
 * Removes the record of a reference that the cloud no longer has.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT for one that the cloud has
 */
export async function removeReference(context: Context, id: string): Promise<void> {
  const found = await findKeyFor(referenceKind, context, id, 'keydestroy')
  assertIfMatch(context, found.stored)
  if (!found.stored.item.gone)
    throw new Refusal('STATE_CONFLICT', 'The cloud still has this dynamic reference: delete it there first.')
  removeKey(referenceKind, context, found)
}

import { Refusal } from '../../../base/errors.ts'
import { defined, patched } from '../../../base/fields.ts'
import type { CommonFields } from '../../../base/ids.ts'
import { assertMay } from '../../../cloud/containers/acl.ts'
import { findContainer } from '../../../cloud/containers/find-container.ts'
import { containersPermitting } from '../../../cloud/containers/permitting.ts'
import type { Context } from '../../../http/context.ts'
import { isKeymgrAdmin } from '../../../http/permission.ts'
import { assertNameFree } from '../../../resource/records.ts'
import { resource, type Does, type Narrowed } from '../../../resource/resource.ts'
import type { Stored } from '../../../store/entity.ts'
import { beginUse } from '../../../vault/keys/lifecycle/key-users.ts'
import type { StoreAction } from '../actions.ts'
import { NAME } from '../identifiers.ts'
import { keystoreKind } from '../stores/kind.ts'
import { datacustKeystores, type StoredDatacustKeystore } from '../stores/store.ts'
import { storeOfKey } from './admit.ts'
import { externalKeyKind, externalVersion } from './kind.ts'
import {
  CreateDatacustExternalKey,
  DatacustExternalKey,
  DatacustExternalKeyQuery,
  UpdateDatacustExternalKey,
} from './model.ts'
import { findSource } from './source-key.ts'
import { assertNotArchived } from './states.ts'
import { keysOfStore, type ExternalKeyRow, type StoredExternalKey } from './store.ts'

/** Stages the number of keys in a store, so that a store with keys cannot be removed at the same moment. */
function countKey({ caller, changes }: Context, stored: Stored<StoredDatacustKeystore>, by: 1 | -1): void {
  const { item } = stored
  changes.update(datacustKeystores, caller.domain.id, stored, { ...item, key_count: item.key_count + by })
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT for an archived store, NAME_TAKEN, RULE_BROKEN */
async function newKey(
  context: Context,
  { keystore_id: reference, name, source_key_identifier, source_key_tier, description }: CreateDatacustExternalKey,
  common: CommonFields,
): Promise<StoredExternalKey> {
  const { caller, now } = context
  const field = { pointer: '#/keystore_id', detail: 'is not there' }
  const keystore = await findContainer(keystoreKind, context, reference, field)
  assertMay(caller, keystore.item, 'keycreate')
  keystoreKind.assertActive?.(keystore.item)
  await assertNameFree(externalKeyKind, context, name)
  const { stored, algorithm } = await findSource(context, source_key_identifier)
  const { item: source } = stored
  beginUse(context, stored)
  countKey(context, keystore, 1)
  return {
    ...common,
    name,
    cloud_name: NAME,
    ...defined({ description }),
    keystore_id: keystore.item.id,
    sap_tenant_id: keystore.item.sap_tenant_id,
    algorithm,
    size: source.size,
    state: 'Enabled',
    blocked: false,
    source_key_tier,
    versions: [externalVersion(common.id, source, now)],
  }
}

const ACTIONS: Readonly<Record<Exclude<Does, 'create'>, StoreAction>> = {
  read: 'view',
  update: 'keyupdate',
  remove: 'keydelete',
}

/** Administrators see all keys, others those of the stores that they may see. */
async function narrow(
  { caller }: Context,
  { size, version_count: count }: DatacustExternalKeyQuery,
): Promise<Narrowed<StoredExternalKey, ExternalKeyRow>> {
  const visible = isKeymgrAdmin(caller)
    ? undefined
    : await containersPermitting(datacustKeystores, caller, ['view'], 'keystore_id')
  return {
    ...(visible && { served: visible.map(({ id }) => keysOfStore(id)) }),
    answered: ['size', 'version_count'],
    tests: [
      size === undefined ? undefined : (row) => row.size === size,
      count === undefined ? undefined : (row) => row.version_count === count,
    ],
  }
}

/** Keys that stay here and that the platform uses through external key stores. */
export const externalKeyResource = resource({
  ...externalKeyKind,
  title: 'Datacust External Key',
  at: '/v1/keymgr/datacust/ekm/keys',
  reads: 'keymgr-users',
  changes: 'keymgr-users', // a key store's permissions decide
  answers: DatacustExternalKey,
  query: DatacustExternalKeyQuery,
  createBody: CreateDatacustExternalKey,
  updateBody: UpdateDatacustExternalKey,
  patterns: ['name', 'source_key_name'],
  admit: async (context, does, reference) => {
    if (reference !== undefined && does !== 'create') await storeOfKey(context, reference, ACTIONS[does])
  },
  narrow,
  make: newKey,
  next: (_context, key, body) => {
    assertNotArchived(key)
    return patched(key, body)
  },
  // Its versions are part of the record; the local keys stay.
  release: async (context, { id, name, state }) => {
    if (state !== 'Archived')
      throw new Refusal('STATE_CONFLICT', `The external key ${name} is not archived: archive it first.`)
    countKey(context, await storeOfKey(context, id, 'keydelete'), -1)
  },
})

import { asFound, type Context } from '../../http/context.ts'
import { Refusal, ruleBroken } from '../../base/errors.ts'
import { accountOf, APPLICATION, DEV_ACCOUNT, resourceUri, uuid } from '../../base/ids.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import type {
  CreateVirtualKey,
  UpdateVirtualKey,
  VirtualKey,
  VirtualKeyQuery,
  VirtualKeyVersion,
  VirtualKeyVersionQuery,
} from './model.ts'
import { beginUse, loadedKeyUsers } from '../keys/lifecycle/key-users.ts'
import type { Stored } from '../../store/entity.ts'
import type { StoredLocalKey } from '../keys/store.ts'
import { virtualKeys, type StoredVirtualKey } from './store.ts'
import { differences, without } from '../../base/fields.ts'
import { listed, listedWhole, type ResourceList } from '../../resource/listed.ts'
import { findNamedKey, versionsOf } from '../keys/lists/find-key.ts'
import { maySee, visibleNames } from './access.ts'
import { isDestroyed, keyAsOf } from '../keys/lifecycle/key-state.ts'
import { isXts, NOT_XTS } from '../keys/record/xts.ts'

const POINTER = '#/source_key_id'

const sourceTaken = (_kind: string, name: string): Refusal =>
  new Refusal('NAME_TAKEN', `There is a virtual key over ${name} already.`, {
    errors: [{ pointer: POINTER, detail: 'has a virtual key already' }],
  })

const shown = ({ item, rev }: Stored<StoredVirtualKey>): Stored<VirtualKey> => ({
  item: without(item, 'first_source_version'),
  rev,
})

const AUDITED = ['version', 'deletable', 'source_key_id'] as const

/** Names the virtual key in the request's audit record. */
function tell(
  { about }: Context,
  key: StoredVirtualKey,
  before: Partial<VirtualKey>,
  after: Partial<VirtualKey>,
): void {
  about({ uri: key.uri, name: key.name, ...differences(before, after, AUDITED), ...asFound(before) })
}

/** @throws Refusal NOT_FOUND, also for a virtual key that the caller may not see */
async function findVirtualKey(context: Context, id: string): Promise<Stored<StoredVirtualKey>> {
  const stored = await virtualKeys.get(context.caller.domain.id, id)
  if (stored === undefined || !(await maySee(context, stored.item)))
    throw new Refusal('NOT_FOUND', 'There is no such virtual key.')
  return stored
}

/** @throws Refusal IN_USE if a hosted key needs the source key */
async function assertNotHosted({ caller }: Context, { name }: StoredVirtualKey): Promise<void> {
  const users = await loadedKeyUsers()
  const counts = await Promise.all(
    users.map(async ({ hostedOver }) => (await hostedOver?.(caller.domain.id, name)) ?? 0),
  )
  const hosted = counts.reduce((sum, count) => sum + count, 0)
  if (hosted > 0) throw new Refusal('IN_USE', `The source key ${name} is behind ${hosted} hosted keys.`)
}

/**
 * The latest version of the referenced key. Ours: a key without material, or a half of a pair, cannot be the source;
 * nor can an xts key, which no operation uses.
 * @throws Refusal NOT_FOUND, RULE_BROKEN
 */
async function findSource(context: Context, reference: string): Promise<Stored<StoredLocalKey>> {
  const stored = await findNamedKey(context, reference, { version: -1 }, { pointer: POINTER, detail: 'is not there' })
  const { state, objectType } = keyAsOf(stored.item, context.now)
  const detail =
    objectType !== 'Symmetric Key'
      ? 'must be a symmetric key'
      : isDestroyed(state)
        ? 'must be a key that is not destroyed'
        : isXts(stored.item)
          ? NOT_XTS
          : undefined
  if (detail !== undefined) throw ruleBroken('source_key_id', detail, POINTER)
  return stored
}

/**
 * A virtual key over a local key, with the same name.
 * @throws Refusal NOT_FOUND, RULE_BROKEN, NAME_TAKEN if the key has one
 */
export async function createVirtualKey(context: Context, body: CreateVirtualKey): Promise<Stored<VirtualKey>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const source = await findSource(context, body.source_key_id)
  const id = uuid(now)
  const at = now.toISOString()
  const key: StoredVirtualKey = {
    id,
    uri: resourceUri(domain, 'keymgr', 'virtual-key', id),
    account: accountOf(domain),
    application: APPLICATION,
    devAccount: DEV_ACCOUNT,
    createdAt: at,
    updatedAt: at,
    name: source.item.name,
    version: 0,
    deletable: false,
    source_key_id: source.item.id,
    source_key_tier: body.source_key_tier,
    first_source_version: source.item.version,
  }
  changes.create(virtualKeys, domain, key, sourceTaken)
  beginUse(context, source)
  tell(context, key, {}, key)
  return shown({ item: key, rev: 1 })
}

/** @throws Refusal NOT_FOUND */
export const getVirtualKey = async (context: Context, id: string): Promise<Stored<VirtualKey>> =>
  shown(await findVirtualKey(context, id))

/** Virtual keys that the caller may see. */
export async function listVirtualKeys(context: Context, query: VirtualKeyQuery): Promise<ResourceList<VirtualKey>> {
  const visible = await visibleNames(context)
  return listed(virtualKeys, context.caller.domain.id, query, {
    served: 'all',
    filters: { id: query.id, source_key_id: query.source_key_id, source_key_tier: query.source_key_tier },
    patterns: { name: query.name },
    matches: (row) =>
      (query.deletable === undefined || row.deletable === query.deletable) && visible?.has(row.name) !== false,
    matchesNarrows: query.deletable !== undefined || visible !== undefined,
    present: (stored) => shown(stored).item,
  })
}

/**
 * The versions of a virtual key, oldest first: one for each version of the source key since its creation. @throws
 * Refusal NOT_FOUND
 */
export async function listVirtualKeyVersions(
  context: Context,
  id: string,
  query: VirtualKeyVersionQuery,
): Promise<ResourceList<VirtualKeyVersion>> {
  const { name, first_source_version: first, createdAt } = (await findVirtualKey(context, id)).item
  const versions = (await versionsOf(context.caller.domain.id, name))
    .filter(({ item }) => item.version >= first)
    .map(({ item }): VirtualKeyVersion => ({
      version: item.version - first,
      source_key_id: item.id,
      source_key_version: item.version,
      createdAt: item.version === first ? createdAt : item.createdAt,
    }))
  return listedWhole(versions, query, (version) => version.createdAt)
}

/** @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE to become deletable while a hosted key needs its source key */
export async function updateVirtualKey(
  context: Context,
  id: string,
  { deletable }: UpdateVirtualKey,
): Promise<Stored<VirtualKey>> {
  const { caller, changes, now } = context
  const stored = await findVirtualKey(context, id)
  assertIfMatch(context, stored)
  if (deletable) await assertNotHosted(context, stored.item)
  const after = { ...stored.item, deletable, updatedAt: now.toISOString() }
  changes.update(virtualKeys, caller.domain.id, stored, after)
  tell(context, after, stored.item, after)
  return shown({ item: after, rev: stored.rev + 1 })
}

/**
 * @throws Refusal NOT_FOUND, VERSION_STALE, UNDELETABLE unless deletable, IN_USE while a hosted key needs its source
 * key
 */
export async function deleteVirtualKey(context: Context, id: string): Promise<void> {
  const { caller, changes } = context
  const stored = await findVirtualKey(context, id)
  assertIfMatch(context, stored)
  if (!stored.item.deletable)
    throw new Refusal('UNDELETABLE', `The virtual key ${stored.item.name} is not flagged deletable.`)
  await assertNotHosted(context, stored.item)
  changes.remove(virtualKeys, caller.domain.id, stored)
  tell(context, stored.item, stored.item, {})
}

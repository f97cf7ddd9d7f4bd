import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { assertIfMatch } from '../../http/if-match.ts'
import type { EkmEndpoint } from './model.ts'
import { CreateKeyVersion } from '../../vault/keys/model.ts'
import { ekmEndpoints, forgetKek, type StoredEkmEndpoint } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { localKeys } from '../../vault/keys/store.ts'
import { assertMayChange } from '../../vault/keys/access.ts'
import { versionsOf } from '../../vault/keys/find-key.ts'
import { newVersion } from '../../vault/keys/new-version.ts'
import { findEndpoint } from './find-endpoint.ts'
import { following } from './follow-key.ts'
import { forOwnKey, VERSIONS_MOST } from './kek.ts'
import { presentEndpoint, tellOf } from './records.ts'

/**
 * A caller who sees the endpoint sees the id of its key, so a missing permission on the key is refused as such. @throws
 * Refusal ACTION_DENIED
 */
async function assertMayRotate({ caller }: Context, { kekID }: StoredEkmEndpoint): Promise<void> {
  const key = await localKeys.get(caller.domain.id, kekID)
  if (key !== undefined) assertMayChange(caller, key.item)
}

/** The context with the permissions that an endpoint's own key takes. `If-Match` is about the endpoint, not the key. */
const forKeyOf = (context: Context, { own_key: isOwn }: StoredEkmEndpoint): Context =>
  isOwn ? forOwnKey(context) : { ...context, ifMatch: undefined }

/**
 * A new version of the local key: new blobs use it, old ones still open, and the address stays. Ours: a key that
 * existed before the endpoint may have other users, so rotating it takes the permission to change it.
 * @throws Refusal NOT_FOUND, VERSION_STALE, ACTION_DENIED, STATE_CONFLICT while disabled, for a signing endpoint, or
 * unless the local key is Active
 */
export async function rotateEndpoint(context: Context, id: string): Promise<Stored<EkmEndpoint>> {
  const stored = await findEndpoint(context, id)
  assertIfMatch(context, stored)
  const { item: before, rev } = stored
  if (!before.enabled) throw new Refusal('STATE_CONFLICT', `The EKM endpoint ${before.name} is disabled.`)
  if (!before.own_key) await assertMayRotate(context, before)
  // Rotates the very key behind the endpoint. The rotation updates the endpoint, and refuses a signing one.
  const version = await newVersion(forKeyOf(context, before), before.kekID, CreateKeyVersion.parse({}), 'id')
  const after = following(before, version, context.now)
  tellOf(context, before, after)
  return presentEndpoint({ item: after, rev: rev + 1 })
}

/**
 * Deletes an endpoint. Its key stays, and its address becomes unknown. Ours: a key with more versions than one
 * transaction takes leaves the addresses of the oldest ones; they lead to an endpoint that does not exist, which has
 * the same effect.
 * @throws Refusal NOT_FOUND, VERSION_STALE
 */
export async function deleteEndpoint(context: Context, id: string): Promise<void> {
  const { caller, changes } = context
  const stored = await findEndpoint(context, id)
  assertIfMatch(context, stored)
  const versions = await versionsOf(caller.domain.id, stored.item.kekName)
  changes.remove(ekmEndpoints, caller.domain.id, stored)
  for (const { item } of versions.slice(-VERSIONS_MOST)) forgetKek(changes, item.id)
  tellOf(context, stored.item, undefined)
}

/**
 * Ours: destroying is for endpoints that the cloud makes by itself in a crypto space, and there are none.
 * @throws Refusal NOT_FOUND, STATE_CONFLICT
 */
export async function destroyEndpoint(context: Context, id: string): Promise<never> {
  const { name } = (await findEndpoint(context, id)).item
  throw new Refusal(
    'STATE_CONFLICT',
    `The EKM endpoint ${name} is of no crypto space: delete it, and destroy its local key if that shall go too.`,
  )
}

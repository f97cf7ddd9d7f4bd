import { Refusal, type BrokenField } from '../base/errors.ts'
import type { Context } from '../http/context.ts'
import { isKeymgrAdmin } from '../http/permission.ts'
import type { Stored } from '../store/entity.ts'
import { assertMayChange, forOwnKey } from '../vault/keys/policies/access.ts'
import { mayRead, type KeyUse } from '../vault/keys/lifecycle/key-users.ts'
import { CreateKeyVersion } from '../vault/keys/model.ts'
import { newVersion } from '../vault/keys/lifecycle/new-version.ts'
import { localKeys, type StoredLocalKey } from '../vault/keys/store.ts'
import { findToChange, shown, tell } from '../resource/records.ts'
import type { EndpointKind, EndpointRecord, KekVersion } from './kinds.ts'

const renewed = <T extends EndpointRecord, R extends object, S>(
  kind: EndpointKind<T, R, S>,
  endpoint: T,
  version: KekVersion,
  now: Date,
): T => ({ ...kind.renewed(endpoint, version, now), updatedAt: now.toISOString() })

/**
 * The context for rotating an endpoint's key. Ours: a key that existed before the endpoint may have other users, so
 * rotating it requires the permission to change it. A caller who sees the endpoint sees the id of its key, so a missing
 * permission on the key is refused with ACTION_DENIED.
 * @throws Refusal ACTION_DENIED
 */
async function forKeyOf(context: Context, { own_key: isOwn }: EndpointRecord, kekId: string): Promise<Context> {
  if (isOwn) return forOwnKey(context)
  const { caller } = context
  const key = await localKeys.get(caller.domain.id, kekId)
  if (key !== undefined) assertMayChange(caller, key.item)
  return { ...context, ifMatch: undefined } // `If-Match` refers to the endpoint, not to the key
}

/**
 * A new version of the local key: new data is protected with it, earlier versions still process, and the address stays.
 * @param assertState refuses an endpoint in the wrong state
 * @throws Refusal NOT_FOUND, VERSION_STALE, ACTION_DENIED, STATE_CONFLICT unless the local key is Active and may have a new
 * version, and those of `assertState`
 */
export async function rotateEndpoint<T extends EndpointRecord, R extends object, S>(
  kind: EndpointKind<T, R, S>,
  context: Context,
  id: string,
  assertState: (endpoint: T) => void,
): Promise<Stored<S>> {
  const { item: before, rev } = await findToChange(kind, context, id)
  assertState(before)
  const kekId = kind.kekIdOf(before)
  const forKey = await forKeyOf(context, before, kekId)
  // Rotates the endpoint's key. The rotation updates the endpoint: see `followKey`.
  const version = await newVersion(forKey, kekId, CreateKeyVersion.parse({}), 'id')
  const after = renewed(kind, before, version, context.now)
  tell(kind, context, before, after)
  return shown(kind, context, { item: after, rev: rev + 1 })
}

/**
 * Refuses a new version of a local key that its user, which protects with it at once, could not use. Uses that the
 * former version lacks do not count.
 * @throws Refusal RULE_BROKEN
 */
export function assertGoesOn(
  { noun, name, usage }: { readonly noun: string; readonly name: string; readonly usage: number },
  former: StoredLocalKey,
  next: StoredLocalKey,
): void {
  const lost = usage & former.usageMask & ~next.usageMask
  const errors: BrokenField[] = [
    ...(next.state === 'Active' ? [] : [{ pointer: '#/offset', detail: `must be 0 for the key of the ${noun}` }]),
    ...(lost === 0 ? [] : [{ pointer: '#/usageMask', detail: `must keep the uses that the ${noun} needs` }]),
  ]
  if (errors.length > 0)
    throw new Refusal('RULE_BROKEN', `The ${noun} ${name} could not go on with this version.`, { errors })
}

/**
 * Stages that the endpoint over a local key, if there is one, uses its new version from now on. Ours: a version that
 * the endpoint could not use is refused when it is created, before the endpoint's calls fail.
 * @returns the endpoint
 * @throws Refusal STATE_CONFLICT for a key that must stay at its version; RULE_BROKEN for a version that is not Active yet, or
 * that lacks a use of the former one
 */
export async function followKey<T extends EndpointRecord, R extends object, S>(
  kind: EndpointKind<T, R, S>,
  { caller, changes, now }: Pick<Context, 'caller' | 'changes' | 'now'>,
  former: StoredLocalKey,
  next: StoredLocalKey,
): Promise<T | undefined> {
  const { entity, noun } = kind
  const domain = caller.domain.id
  const stored = await entity.find(domain, 'kek', next.name)
  if (stored === undefined) return undefined
  const { item: endpoint } = stored
  kind.assertRenewable?.(endpoint)
  assertGoesOn({ noun, name: endpoint.name, usage: kind.usageOf(endpoint) }, former, next)
  const after = renewed(kind, endpoint, next, now)
  changes.update(entity, domain, stored, after)
  return after
}

/**
 * The endpoint of the kind that a local key has: at most one.
 * @param action that reads endpoints of the kind
 * @param endpointOf id of the endpoint that counts its calls; default: its own
 */
export async function endpointsOver<T extends EndpointRecord, R extends object, S>(
  { entity, noun }: EndpointKind<T, R, S>,
  { caller, uses }: Pick<Context, 'caller' | 'uses'>,
  name: string,
  action: string,
  endpointOf: (record: T) => string = ({ id }) => id,
): Promise<KeyUse[]> {
  const stored = await entity.find(caller.domain.id, 'kek', name)
  if (stored === undefined) return []
  const isSeen = isKeymgrAdmin(caller) && mayRead({ uses }, action, stored.item)
  const seen = isSeen ? [stored.item] : []
  return [{ noun, count: 1, names: seen.map(({ name }) => name), endpoints: seen.map(endpointOf) }]
}

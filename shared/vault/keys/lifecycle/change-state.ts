import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import type { ReactivateLocalKey, RevokeLocalKey } from '../bodies.ts'
import type { EndLocalKey, LocalKey, LocalKeySelector } from '../model.ts'
import type { Stored } from '../../../store/entity.ts'
import { localKeys, type StoredLocalKey } from '../store.ts'
import { assertMayChange } from '../policies/access.ts'
import { findKey, publicHalf } from '../lists/find-key.ts'
import {
  archived,
  destroyed,
  isDestroyed,
  keyAsOf,
  reactivated,
  recovered,
  revoked,
  withoutMaterial,
} from './key-state.ts'
import { assertMayEnd } from './in-use.ts'
import { auditView } from '../record/new-record.ts'
import { presentKey, subjectOf } from '../record/present-key.ts'

type Move = (key: StoredLocalKey) => StoredLocalKey

/** Applies a change of state to one version, starting from its state at this time. */
async function move(
  context: Context,
  reference: string,
  selector: LocalKeySelector,
  by: Move,
): Promise<{ stored: Stored<StoredLocalKey>; shown: Stored<LocalKey> }> {
  const { caller, changes, now } = context
  const stored = await findKey(context, reference, selector)
  assertMayChange(caller, stored.item)
  assertIfMatch(context, stored)
  const after = by(keyAsOf(stored.item, now))
  changes.update(localKeys, caller.domain.id, stored, after)
  context.about({ ...subjectOf(stored.item, now), before: auditView(stored.item), after: auditView(after) })
  return { stored, shown: { item: presentKey(after, now), rev: stored.rev + 1 } }
}

type Verb<B> = (context: Context, reference: string, selector: LocalKeySelector, body: B) => Promise<Stored<LocalKey>>

const verb =
  <B>(by: (key: StoredLocalKey, body: B, now: Date) => StoredLocalKey): Verb<B> =>
  async (context, reference, selector, body) =>
    (await move(context, reference, selector, (key) => by(key, body, context.now))).shown

export const revokeKey = verb<RevokeLocalKey>(revoked)
export const reactivateKey = verb<ReactivateLocalKey>(reactivated)
export const archiveKey = verb<undefined>((key, _, now) => archived(key, now))
export const recoverKey = verb<undefined>((key, _, now) => recovered(key, now))

/**
 * Wipes the material permanently; the record stays. Destroying a private key also destroys its public half.
 * @throws Refusal IN_USE unless forced, UNDELETABLE, STATE_CONFLICT
 */
export async function destroyKey(
  context: Context,
  reference: string,
  selector: EndLocalKey,
): Promise<Stored<LocalKey>> {
  const { caller, changes, now } = context
  const { stored, shown } = await move(context, reference, selector, (key) => destroyed(key, now))
  await assertMayEnd(context, [stored], selector.force)
  const half = await publicHalf(caller.domain.id, stored.item)
  if (half?.item.undeletable === true)
    throw new Refusal('UNDELETABLE', `The other half of the pair, ${half.item.name}, is flagged undeletable.`)
  if (half && !isDestroyed(half.item.state))
    changes.update(localKeys, caller.domain.id, half, withoutMaterial(half.item, shown.item.state, now.toISOString()))
  return shown
}

import { presentKey, subjectOf } from '../record/present-key.ts'
import type { Context } from '../../../http/context.ts'
import { counted } from '../../../base/counted.ts'
import { Refusal } from '../../../base/errors.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import type { EndLocalKey } from '../model.ts'
import type { Stored } from '../../../store/entity.ts'
import { localKeys, type StoredLocalKey } from '../store.ts'
import { assertMayChange } from '../policies/access.ts'
import { allVersionsOf, findKey, otherHalf, publicHalf, versionsOf } from '../lists/find-key.ts'
import { auditView } from '../record/new-record.ts'
import { assertUnlinked, assertMayEnd } from './in-use.ts'

/**
 * Ours: the limit of one transaction, halves of pairs included. Keys with more versions are deleted version by version.
 */
const VERSIONS_AT_ONCE = 12

/**
 * Deletes a key with all its versions, or one named version. Deleting a private key also deletes its public half, but
 * not the reverse. If only the latest version is deleted, the version before it gets name and aliases.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, UNDELETABLE, IN_USE unless forced; STATE_CONFLICT above `VERSIONS_AT_ONCE` versions,
 * and for a forced deletion of Active versions in use
 */
export async function deleteKey(context: Context, reference: string, selector: EndLocalKey): Promise<void> {
  const { caller } = context
  const domain = caller.domain.id
  const named = await findKey(context, reference, selector)
  assertMayChange(caller, named.item)
  assertIfMatch(context, named)
  context.about({ ...subjectOf(named.item, context.now), before: auditView(named.item) })
  const versions = await allVersionsOf(domain, named)
  const going = selector.version === undefined ? versions : [named]
  if (going.length > VERSIONS_AT_ONCE)
    throw new Refusal(
      'STATE_CONFLICT',
      `The key has ${counted(going.length, 'version')}; delete them one by one with the parameter version until ${VERSIONS_AT_ONCE} are left.`,
    )
  const halves = await halvesOf(domain, going)
  for (const stored of [...going, ...halves]) {
    assertMayChange(caller, stored.item)
    if (stored.item.undeletable) throw new Refusal('UNDELETABLE', `The key ${stored.item.name} is flagged undeletable.`)
    context.uses('DeleteKey', presentKey(stored.item, context.now))
    context.changes.remove(localKeys, domain, stored)
  }
  await assertMayEnd(context, going, selector.force)
  await assertUnlinked(domain, [...going, ...halves])
  if (selector.version !== undefined) {
    handOver(context, named, versions)
    for (const half of halves) handOver(context, half, await versionsOf(domain, half.item.name))
  }
  for (const half of unpaired(going)) await unlink(context, half)
}

const halvesOf = async (domain: string, keys: readonly Stored<StoredLocalKey>[]): Promise<Stored<StoredLocalKey>[]> =>
  (await Promise.all(keys.map(({ item }) => publicHalf(domain, item)))).filter((half) => half !== undefined)

const unpaired = (keys: readonly Stored<StoredLocalKey>[]): readonly Stored<StoredLocalKey>[] =>
  keys.filter(({ item }) => item.objectType === 'Public Key')

/** Removes the link of a private key whose public half was deleted. */
async function unlink({ caller, changes }: Context, { item }: Stored<StoredLocalKey>): Promise<void> {
  const half = await otherHalf(caller.domain.id, item)
  if (half)
    changes.update(localKeys, caller.domain.id, half, {
      ...half.item,
      links: half.item.links.filter(({ target }) => target !== item.id),
    })
}

/** Makes the version before the deleted one the latest. */
function handOver(
  { caller, changes, now }: Context,
  gone: Stored<StoredLocalKey>,
  versions: readonly Stored<StoredLocalKey>[],
): void {
  if (!gone.item.latest) return
  const heir = versions.filter(({ item }) => item.version < gone.item.version).at(-1)
  if (heir)
    changes.update(localKeys, caller.domain.id, heir, {
      ...heir.item,
      latest: true,
      aliases: gone.item.aliases,
      updatedAt: now.toISOString(),
    })
}

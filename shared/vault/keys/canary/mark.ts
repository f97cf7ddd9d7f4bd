import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { counted } from '../../../base/counted.ts'
import { without } from '../../../base/fields.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import { listed, type ResourceList } from '../../../resource/listed.ts'
import type { Stored } from '../../../store/entity.ts'
import { allVersionsOf, findKey } from '../lists/find-key.ts'
import { VERSIONS_AT_ONCE } from '../lifecycle/update-key.ts'
import type { KeyVersionQuery } from '../lists/query.ts'
import type { LocalKey } from '../model.ts'
import { presentKey, presentStored, subjectOf } from '../record/present-key.ts'
import { CANARIES, localKeys, type StoredLocalKey } from '../store.ts'

const marked = (key: StoredLocalKey, isCanary: boolean): StoredLocalKey =>
  isCanary ? { ...key, canary: true } : without(key, 'canary')

/**
 * Makes a key a canary key, or an ordinary key again: all its versions, and those that follow. Its `updatedAt` stays,
 * so that the key looks like any other.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT for a key with too many versions
 */
export async function markCanary(context: Context, reference: string, isCanary: boolean): Promise<Stored<LocalKey>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const named = await findKey(context, reference)
  assertIfMatch(context, named)
  const versions = await allVersionsOf(domain, named)
  if (versions.length > VERSIONS_AT_ONCE)
    throw new Refusal(
      'STATE_CONFLICT',
      `The key has ${counted(versions.length, 'version')}; a canary key has at most ${VERSIONS_AT_ONCE}.`,
    )
  const state = (key: StoredLocalKey) => ({ canary: key.canary === true })
  context.about({ ...subjectOf(named.item, now), before: state(named.item), after: { canary: isCanary } })
  const changing = versions.filter(({ item }) => (item.canary === true) !== isCanary)
  for (const version of changing) changes.update(localKeys, domain, version, marked(version.item, isCanary))
  const isChanged = changing.some(({ item }) => item.id === named.item.id)
  return { item: presentKey(named.item, now), rev: named.rev + (isChanged ? 1 : 0) }
}

/** The canary keys of the domain, in their latest versions. */
export const listCanaries = (context: Context, query: KeyVersionQuery): Promise<ResourceList<LocalKey>> =>
  listed(localKeys, context.caller.domain.id, query, {
    served: CANARIES,
    ids: 'local-key',
    present: presentStored(context.now),
  })

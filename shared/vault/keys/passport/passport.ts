import { usageSummary } from '../../../crypto/algorithms.ts'
import type { KeyPassport } from '../../../audit/passport/model.ts'
import { passportOf, type KeyFacts } from '../../../audit/passport/passport.ts'
import type { RelatedRecords } from '../../../audit/passport/related-records.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { defined } from '../../../base/fields.ts'
import { linksTo } from '../../links/store.ts'
import { findKey, versionsOf } from '../lists/find-key.ts'
import { keyAsOf } from '../lifecycle/key-state.ts'
import { loadedKeyUsers } from '../lifecycle/key-users.ts'
import { KEY_DATES, type LocalKeySelector } from '../model.ts'
import type { StoredLocalKey } from '../store.ts'
import { wentOut } from './went-out.ts'

const versionFacts = (now: Date) => (stored: Stored<StoredLocalKey>) => {
  const key = keyAsOf(stored.item, now)
  const dates = Object.fromEntries(KEY_DATES.map((date) => [date, key[date]]))
  return defined({
    id: key.id,
    uri: key.uri,
    version: key.version,
    state: key.state,
    created: key.createdAt,
    ...dates,
    revocationReason: key.revocationReason,
    origin: key.origin ?? 'unknown',
    clonedFrom: key.clonedFrom,
    neverExported: key.neverExported,
    hasMaterial: key.sealed !== undefined,
    sha256Fingerprint: key.sha256Fingerprint,
    keyCheckValue: key.keyCheckValue,
  })
}

function keyFacts(named: StoredLocalKey, first: StoredLocalKey) {
  const { id, uri, name, version, algorithm, size, curveid, objectType, usageMask, links } = named
  const { unexportable, neverExportable } = named
  return defined({
    id,
    uri,
    name,
    version,
    algorithm,
    size,
    curveid,
    objectType,
    usages: usageSummary(usageMask).split('/').filter(Boolean),
    usageMask,
    unexportable,
    neverExportable,
    origin: first.origin ?? 'unknown',
    clonedFrom: first.clonedFrom,
    links: links.map(({ type, target }) => ({ type, target })),
  })
}

/** Records outside the vault that use the key now, without a copy of its material. */
async function usesOf(context: Context, name: string, versions: readonly Stored<StoredLocalKey>[]) {
  const users = await loadedKeyUsers()
  const uses = (await Promise.all(users.map((user) => user.usesOf(context, name, versions)))).flat()
  return uses
    .filter(({ count, haveCopies }) => count > 0 && haveCopies === undefined)
    .map(({ noun, count }) => ({ way: 'used by', what: noun, count, time: context.now.toISOString() }))
}

/**
 * A signed statement about a key, all its versions, and the copies of its material.
 * @throws Refusal NOT_FOUND, as for the key itself
 */
export async function keyPassport(
  context: Context,
  reference: string,
  selector: LocalKeySelector,
): Promise<KeyPassport> {
  const { caller, now } = context
  const domain = caller.domain.id
  const named = keyAsOf((await findKey(context, reference, selector)).item, now)
  const versions = await versionsOf(domain, named.name)
  const first = versions[0]?.item ?? named
  const items = versions.map(({ item }) => item)
  const subjects = {
    uris: new Set(items.map(({ uri }) => uri)),
    sources: new Set(items.map(({ id }) => id)),
    since: first.createdAt,
  }
  const factsOf = async (records: RelatedRecords['records']): Promise<KeyFacts> => ({
    key: {
      ...keyFacts(named, first),
      linkedFrom: (await linksTo(domain, named.id)).length,
    },
    versions: versions.map(versionFacts(now)),
    material: [...wentOut(records, subjects), ...(await usesOf(context, named.name, versions))],
  })
  return passportOf(context, subjects, factsOf)
}

import type { Context } from '../../../http/context.ts'
import { LOCAL_KEY_ID, resourceUri } from '../../../base/ids.ts'
import type { LocalKey } from '../model.ts'
import type { KeyVersionQuery, LocalKeyQuery } from './query.ts'
import { isPattern, patternTest } from '../../../http/lists/patterns.ts'
import type { Stored } from '../../../store/entity.ts'
import { localKeys, type LocalKeyRow, type StoredLocalKey } from '../store.ts'
import { presentedBy } from '../../../resource/sorted.ts'
import { ifIntact } from '../../../store/salvage.ts'
import { listed, listedWhole, type ResourceList } from '../../../resource/listed.ts'
import { labelsTest, metaTest } from '../../../http/lists/selectors.ts'
import { isKeyAdmin, mayRead } from '../policies/access.ts'
import { findKey, versionsOf } from './find-key.ts'
import { keyAsOf } from '../lifecycle/key-state.ts'
import { overdueKeys, pageInState } from '../lifecycle/overdue.ts'
import { presentStored } from '../record/present-key.ts'

const uriOf = (domain: string, { name, version }: LocalKeyRow): string =>
  resourceUri(domain, 'vault', 'keys', `${name}-v${version}`)

/** A test of a row, beyond the filters of a query. */
export type RowTest = (row: LocalKeyRow) => boolean

/** The filters of a query as row tests, without those that the served sets answer. */
function testsOf(query: LocalKeyQuery, { caller }: Context): RowTest[] {
  const tests: RowTest[] = []
  const add = <V>(wanted: V | undefined, test: (wanted: V, row: LocalKeyRow) => boolean): void => {
    if (wanted !== undefined) tests.push((row) => test(wanted, row))
  }
  if (!isKeyAdmin(caller)) tests.push((row) => mayRead(caller, row))
  const isNamed = patternTest(query.name ?? [])
  add(query.name, (names, row) => isNamed(row.name) || (query.compareIDWithUUID === true && names.includes(row.uuid)))
  add(query.alias, (aliases, row) => row.aliases.some((alias) => aliases.includes(alias)))
  add(query.id, (ids, row) => ids.includes(row.id) || (query.compareIDWithUUID === true && ids.includes(row.uuid)))
  add(query.uri, (uris, row) => uris.includes(uriOf(caller.domain.id, row)))
  add(query.version === -1 ? undefined : query.version, (version, row) => row.version === version)
  add(query.objectType, (types, row) => types.includes(row.objectType))
  add(query.algorithm, (names, row) => names.some((name) => name.toLowerCase() === row.algorithm))
  add(query.size, (size, row) => row.size === size)
  add(query.curveid, (curves, row) => row.curveid !== undefined && curves.includes(row.curveid))
  add(query.usageMask, (mask, row) => (row.usageMask & mask) === mask)
  add(
    query.keyCheckValue,
    (values, row) =>
      row.keyCheckValue !== undefined && values.some((value) => value.toLowerCase() === row.keyCheckValue),
  )
  add(query.linkType, (types, row) => row.links.some((type) => types.includes(type)))
  add(query.sha1Fingerprint, (prints, row) => row.sha1Fingerprint !== undefined && prints.includes(row.sha1Fingerprint))
  add(
    query.sha256Fingerprint,
    (prints, row) => row.sha256Fingerprint !== undefined && prints.includes(row.sha256Fingerprint),
  )
  add(query.unexportable, (flag, row) => row.unexportable === flag)
  add(query.undeletable, (flag, row) => row.undeletable === flag)
  if (query.labels !== undefined) tests.push(labelsTest(query.labels, 'labels'))
  if (query.metaContains !== undefined) tests.push(metaTest(query.metaContains, 'metaContains'))
  return tests
}

/** The sets that contain all matches: one state if named, former versions if the query includes them. */
function setsOf({ state, version, name, id, uri, compareIDWithUUID }: LocalKeyQuery): string[] {
  const widened =
    (version !== undefined && version !== -1) ||
    id !== undefined ||
    uri !== undefined ||
    (name !== undefined && compareIDWithUUID === true)
  if (widened) return ['latest', 'former']
  return state === undefined ? ['latest'] : [...new Set(state)].map((one) => `state:${one}`)
}

/** The sets to read and the tests of their rows, including a test of the state if the sets do not determine it. */
export function plan(query: LocalKeyQuery, context: Context): { served: string[]; tests: RowTest[] } {
  const served = setsOf(query)
  const tests = testsOf(query, context)
  const { state } = query
  if (state !== undefined && served.includes('former')) tests.push((row) => state.includes(row.state))
  return { served, tests }
}

/** Keys with these exact names, aliases or ids, read directly; `undefined` if the query names none. */
async function named(query: LocalKeyQuery, { caller }: Context): Promise<Stored<StoredLocalKey>[] | undefined> {
  const domain = caller.domain.id
  if (query.id !== undefined && query.compareIDWithUUID !== true)
    return localKeys.getMany(domain, [...new Set(query.id.filter((id) => LOCAL_KEY_ID.test(id)))], 'salvage')
  const exact =
    query.name !== undefined && !query.name.some(isPattern) && query.compareIDWithUUID !== true
      ? query.name
      : query.alias
  if (exact === undefined || (query.version !== undefined && query.version !== -1)) return undefined
  const found = await Promise.all([...new Set(exact)].map((name) => localKeys.find(domain, 'name', name)))
  const byId = new Map(found.filter((stored) => stored !== undefined).map((stored) => [stored.item.id, stored]))
  return [...byId.values()]
}

const idOf = ({ item, damage }: Stored<StoredLocalKey>): string => damage?.id ?? item.id

/** Filters to suggest when a list or search has too many rows. */
export const NARROW_BY = 'state, name, createdAfter and createdBefore'

/**
 * Lists keys: the latest versions, unless the query includes former ones.
 * @param further tests that keys must pass as well
 */
export async function listKeys(
  context: Context,
  query: LocalKeyQuery,
  further: readonly RowTest[] = [],
): Promise<ResourceList<LocalKey>> {
  const present = presentStored(context.now)
  const planned = plan(query, context)
  const { served } = planned
  const tests = [...planned.tests, ...further]
  const matches = (row: LocalKeyRow): boolean => tests.every((test) => test(row))
  const { state } = query
  const direct = await named(query, context)
  if (direct) {
    const found = direct
      .map((stored) => (stored.damage ? stored : { ...stored, item: keyAsOf(stored.item, context.now) }))
      .filter(({ item, damage }) =>
        ifIntact(damage, () => matches(localKeys.row(item)) && (state?.includes(item.state) ?? true), false),
      )
      .sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
    return listedWhole(await presentedBy({ present })(found), query, ({ createdAt }) => createdAt)
  }
  const domain = context.caller.domain.id
  const overdue = readsState(query) ? await overdueKeys(domain, context.now) : []
  const [only] = served
  if (
    overdue.length > 0 &&
    served.length === 1 &&
    state?.[0] !== undefined &&
    only !== 'latest' &&
    isPlain(query, tests)
  ) {
    const { skip, limit, sort } = query
    const page = await pageInState(domain, state[0], overdue, {
      skip,
      limit,
      descending: sort?.[0]?.descending === true,
    })
    return { skip, limit, total: page.total, resources: page.items.map(present) }
  }
  const asOfNow = new Map(overdue.map(({ asOfNow: { item } }) => [item.id, item.state]))
  const isCurrent = (row: LocalKeyRow): boolean =>
    (asOfNow.get(row.id) ?? row.state) === row.state && (state?.includes(row.state) ?? true)
  return listed(localKeys, domain, query, {
    served,
    ids: 'local-key',
    matches: (row) => isCurrent(row) && matches(row),
    matchesNarrows: tests.length > 0 || overdue.length > 0,
    narrowBy: NARROW_BY,
    present,
    ...(overdue.length > 0 && { extraItems: overdue.map((one) => one.asOfNow) }),
  })
}

/** Whether the query depends on the state of keys, for its matches or their order. */
const readsState = ({ state, sort }: LocalKeyQuery): boolean =>
  state !== undefined || sort?.some(({ by }) => by === 'state') === true

/** Whether a served set answers the query: no other filter, in order of creation. */
const isPlain = ({ sort, createdAfter, createdBefore }: LocalKeyQuery, tests: readonly RowTest[]): boolean =>
  tests.length === 0 &&
  createdAfter === undefined &&
  createdBefore === undefined &&
  (sort === undefined || (sort.length === 1 && sort[0]?.by === 'createdAt'))

/** The versions of a key, oldest first. */
export async function listVersions(
  context: Context,
  reference: string,
  query: KeyVersionQuery,
): Promise<ResourceList<LocalKey>> {
  const { item } = await findKey(context, reference)
  const versions = await versionsOf(context.caller.domain.id, item.name, 'salvage')
  const seen = versions.filter(({ item, damage }) => ifIntact(damage, () => mayRead(context.caller, item), false))
  const present = presentStored(context.now)
  return listedWhole(await presentedBy({ present })(seen), query, ({ createdAt }) => createdAt)
}

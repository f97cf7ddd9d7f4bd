import type { Context } from '../../../http/context.ts'
import { ruleBroken } from '../../../base/errors.ts'
import { isPattern } from '../../../http/lists/patterns.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import { containsTest, TOO_COSTLY } from '../../../http/lists/selectors.ts'
import { walk } from '../../../store/list.ts'
import { listKeys, NARROW_BY, plan, type RowTest } from './list-keys.ts'
import type { LocalKey } from '../model.ts'
import { localKeys } from '../store.ts'
import type { LocalKeyQuery, QueryKeys } from './query.ts'

/** The list of keys with all its filters. @throws Refusal RULE_BROKEN for a list that is too wide or too costly */
export async function listMatchingKeys(context: Context, query: LocalKeyQuery): Promise<ResourceList<LocalKey>> {
  const { expires_before: time } = query
  return listKeys(context, query, time === undefined ? [] : [await deactivatedBefore(context, query, time, [])])
}

/** The latest versions that a search finds. @throws Refusal RULE_BROKEN for a search that is too wide or too costly */
export async function queryKeys(context: Context, body: QueryKeys): Promise<ResourceList<LocalKey>> {
  const query = listQueryOf(body)
  const further = testsOf(body)
  if (body.deactivationBefore !== undefined)
    further.push(await deactivatedBefore(context, query, body.deactivationBefore, further))
  return listKeys(context, query, further)
}

const some = <T>(value: T | undefined): T[] | undefined => (value === undefined ? undefined : [value])

/** The part of a search that the list of keys answers. Exact names are looked up directly. */
function listQueryOf(body: QueryKeys): LocalKeyQuery {
  const { skip, limit, sort, createdBefore, createdAfter, name, names, state, states } = body
  const exact = name === undefined && names?.some(isPattern) === false ? names : undefined
  return {
    ...{ skip, limit, sort, createdBefore, createdAfter },
    name: some(name) ?? exact,
    alias: body.aliases,
    state: state === undefined ? states : states?.includes(state) === false ? [] : [state],
    objectType: some(body.objectType),
    algorithm: some(body.algorithm),
    size: body.size,
    curveid: some(body.curveid),
    usageMask: body.usageMaskContains,
    labels: body.labels,
  }
}

/** The tests that the list of keys has no filter for. */
function testsOf({ names, nameContains, usageMask, metaContains }: QueryKeys): RowTest[] {
  const tests: RowTest[] = []
  if (names !== undefined) tests.push(({ name }) => names.includes(name))
  if (nameContains !== undefined) tests.push(({ name }) => name.includes(nameContains))
  if (usageMask !== undefined) tests.push((row) => row.usageMask === usageMask)
  if (metaContains !== undefined) tests.push(containsTest(metaContains, ruleBroken('metaContains', TOO_COSTLY)))
  return tests
}

/** Items in memory at a time. */
const ITEMS_AT_ONCE = 1_000

/** Tests that keys are deactivated before a time. For rows without that field, the items are read. */
async function deactivatedBefore(
  context: Context,
  query: LocalKeyQuery,
  time: string,
  further: readonly RowTest[],
): Promise<RowTest> {
  const domain = context.caller.domain.id
  const { served, tests } = plan(query, context)
  const without: string[] = []
  await walk(localKeys, domain, {
    ...{ sets: served, skip: 0, limit: 0, narrowBy: NARROW_BY },
    matches: (row: Parameters<RowTest>[0]) => {
      if (row.deactivationDate === undefined && [...tests, ...further].every((test) => test(row))) without.push(row.id)
      return false
    },
  })
  const isBefore = (date: string | null | undefined): boolean =>
    typeof date === 'string' && Date.parse(date) < Date.parse(time)
  const found = new Set<string>()
  for (let at = 0; at < without.length; at += ITEMS_AT_ONCE)
    for (const { item } of await localKeys.getMany(domain, without.slice(at, at + ITEMS_AT_ONCE), 'leave out'))
      if (isBefore(item.deactivationDate)) found.add(item.id)
  return ({ id, deactivationDate }) => found.has(id) || isBefore(deactivationDate)
}

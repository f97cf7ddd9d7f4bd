import type { Context } from '../../../http/context.ts'
import type { PolicyTemplate, PolicyTemplateQuery } from './model.ts'
import { cloudAKms } from '../kms/store.ts'
import { policyTemplates } from './store.ts'
import { walk } from '../../../store/list.ts'
import { isKeymgrAdmin } from '../../../http/permission.ts'
import { listed, type ResourceList } from '../../../resource/listed.ts'
import { maySee } from '../../../cloud/containers/find-container.ts'
import { kmsKind } from '../kms/kind.ts'

type Test = (row: ReturnType<typeof policyTemplates.row>) => boolean

/** Ours: more entries than any caller works with. */
const ENTRIES_MOST = 10_000

/** Templates of entries the caller may see, and of their accounts. */
async function visibleTest({ caller }: Context): Promise<Test> {
  const { items } = await walk(cloudAKms, caller.domain.id, {
    sets: ['all'],
    skip: 0,
    limit: ENTRIES_MOST,
    matches: (row) => maySee(kmsKind, caller, row),
    narrowBy: 'kms',
  })
  const visible = new Set(items.map(({ item }) => item.id))
  const accounts = new Set(items.map(({ item }) => item.account_id))
  return ({ kms_id, account_id }) => (kms_id === undefined ? accounts.has(account_id) : visible.has(kms_id))
}

export async function listTemplates(
  context: Context,
  query: PolicyTemplateQuery,
): Promise<ResourceList<PolicyTemplate>> {
  const tests: Test[] = []
  const { kms, is_verified } = query
  if (!isKeymgrAdmin(context.caller)) tests.push(await visibleTest(context))
  if (kms !== undefined)
    tests.push((row) => [row.kms, row.kms_id].some((one) => one !== undefined && kms.includes(one)))
  if (is_verified !== undefined) tests.push((row) => row.is_verified === is_verified)
  return listed(policyTemplates, context.caller.domain.id, query, {
    served: 'all',
    filters: { id: query.id, account_id: query.account_id },
    patterns: { name: query.name },
    matches: (row) => tests.every((test) => test(row)),
    matchesNarrows: tests.length > 0,
    present: ({ item }) => item,
  })
}

import type { Context } from '../../../http/context.ts'
import { HARDWARE, type CustomKeyStore, type CustomKeyStoreQuery } from './model.ts'
import { cloudAKms } from '../kms/store.ts'
import { customKeyStores, type CustomKeyStoreRow } from './store.ts'
import { isKeymgrAdmin } from '../../../http/permission.ts'
import { containersPermitting } from '../../../cloud/containers/permitting.ts'
import { listed, type ResourceList } from '../../../resource/listed.ts'
import { VIEW } from './find-key-store.ts'
import { presentStore } from './records.ts'

type Test = (row: CustomKeyStoreRow) => boolean

/** Ids of the containers in which the caller may see stores. */
const visibleEntries = async ({ caller }: Context): Promise<ReadonlySet<string>> =>
  new Set((await containersPermitting(cloudAKms, caller, [VIEW], 'kms')).map(({ id }) => id))

/**
 * The filters that need more than a comparison with texts. Ours: the filter `blocked` matches only stores of keymgr.
 */
async function testsOf(context: Context, query: CustomKeyStoreQuery): Promise<Test[]> {
  const { kms, blocked, linked_state } = query
  const tests: Test[] = []
  if (!isKeymgrAdmin(context.caller)) {
    const visible = await visibleEntries(context)
    tests.push((row) => visible.has(row.kms_id))
  }
  if (kms !== undefined) tests.push((row) => kms.includes(row.kms) || kms.includes(row.kms_id))
  if (blocked !== undefined) tests.push((row) => row.blocked === blocked)
  if (linked_state !== undefined) tests.push((row) => row.linked_state === linked_state)
  return tests
}

/** Replaces either name of the hardware kind by the one that answers contain. */
const inOneName = (kinds: readonly string[] | undefined): string[] | undefined =>
  kinds?.map((kind) => (kind === 'CLOUD_HSM' ? HARDWARE : kind))

/** Key stores of the containers in which the caller may see them. */
export async function listKeyStores(
  context: Context,
  query: CustomKeyStoreQuery,
): Promise<ResourceList<CustomKeyStore>> {
  const tests = await testsOf(context, query)
  return listed(customKeyStores, context.caller.domain.id, query, {
    served: 'all',
    filters: {
      id: query.id,
      region: query.region,
      cloud_name: query.cloud_name,
      type: inOneName(query.type),
      xks_proxy_connectivity: query.xks_proxy_connectivity,
      connection_state: query.connection_state,
      source_key_tier: query.source_key_tier,
      custom_key_store_type: inOneName(query.custom_key_store_type),
    },
    patterns: { name: query.name },
    matches: (row) => tests.every((test) => test(row)),
    matchesNarrows: tests.length > 0,
    narrowBy: 'createdAfter and createdBefore',
    present: (stored) => presentStore(stored).item,
  })
}

import { containersAsked, listKeys } from '../../../cloud/keys/list-keys.ts'
import type { KeyKind } from '../../../cloud/keys/kind.ts'
import type { Context } from '../../../http/context.ts'
import type { ListQuery } from '../../../http/lists/list-query.ts'
import type { ResourceList, Selection } from '../../../resource/listed.ts'
import { labelsTest } from '../../../http/lists/selectors.ts'
import { vaultKind } from '../vaults/kind.ts'
import { VIEW, type ItemTypes } from './item.ts'

interface ItemQuery extends ListQuery {
  readonly id?: readonly string[] | undefined
  readonly key_vault?: readonly string[] | undefined
  readonly key_vault_id?: readonly string[] | undefined
  readonly version?: string | undefined
  readonly status?: readonly string[] | undefined
  readonly tags?: string | undefined
  readonly deleted?: boolean | undefined
}

type Test = (row: ItemTypes['row']) => boolean

/** Tests of filters without a field of the same name. */
function testsOf({ version, status, tags, deleted }: ItemQuery): Test[] {
  const tests: Test[] = []
  if (version !== undefined) tests.push(version === '-1' ? (row) => row.is_latest : (row) => row.version === version)
  const statuses = status?.map((one) => (one === 'AVAILABLE' ? 'ACTIVE' : one))
  if (statuses !== undefined) tests.push((row) => statuses.includes(row.status))
  if (tags !== undefined) {
    const hasThem = labelsTest(tags, 'tags')
    tests.push((row) => hasThem({ labels: row.tags }))
  }
  if (deleted !== undefined) tests.push((row) => (row.status === 'DELETED') === deleted)
  return tests
}

/**
 * Versions that the caller may see. @param more this kind's filters without a field of the same name, and their tests
 */
export async function listItems<T extends ItemTypes>(
  kind: KeyKind<T>,
  context: Context,
  query: ItemQuery,
  patterns: Selection<T['key'], T['row']>['patterns'],
  more: { readonly own: readonly string[]; readonly tests: readonly ((row: T['row']) => boolean)[] },
): Promise<ResourceList<T['shown']>> {
  const asked = { named: query.key_vault, ids: query.key_vault_id }
  return listKeys(kind, context, query, {
    containers: await containersAsked<T>(vaultKind, context, asked, [VIEW], 'key_vault'),
    ...(patterns && { patterns }),
    own: ['key_vault', 'key_vault_id', 'version', 'status', 'tags', 'deleted', ...more.own],
    tests: [...testsOf(query), ...more.tests],
    narrowBy: 'key_vault, createdAfter and createdBefore',
  })
}

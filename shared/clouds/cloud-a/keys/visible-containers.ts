import type { Context } from '../../../http/context.ts'
import type { CloudAKeyQuery } from './model.ts'
import { cloudAKeys, keysInStores, type CloudAKeyRow } from './store.ts'
import { cloudAKms, type StoredCloudAKms } from '../kms/store.ts'
import { pageOf } from '../../../store/list.ts'
import { may } from '../../../cloud/containers/acl.ts'
import { containersPermitting } from '../../../cloud/containers/permitting.ts'
import { containersAsked } from '../../../cloud/keys/list-keys.ts'
import type { CloudATypes } from './kind.ts'
import { kmsKind } from '../kms/kind.ts'
import { PLAIN_VIEWS, viewOf, VIEWS } from './key-rules.ts'

/** All entries of the domain in which the caller may see keys. */
export const entriesWithKeys = ({ caller }: Pick<Context, 'caller'>): Promise<StoredCloudAKms[]> =>
  containersPermitting(cloudAKms, caller, VIEWS, 'kms')

/** The entries that a list reads. `undefined` means all: the caller may see all and the query names none. */
export const entriesOf = (
  context: Pick<Context, 'caller'>,
  { kms: named, kms_id: ids }: Pick<CloudAKeyQuery, 'kms' | 'kms_id'>,
): Promise<StoredCloudAKms[] | undefined> =>
  containersAsked<CloudATypes>(kmsKind, context, { named, ids }, VIEWS, 'kms')

/** Whether there is only one entry, it contains plain keys only, and the caller may see all of them. */
async function seesAll({ caller }: Pick<Context, 'caller'>, entries: readonly StoredCloudAKms[]): Promise<boolean> {
  const [only] = entries
  if (only === undefined || entries.length > 1 || !PLAIN_VIEWS.every((view) => may(caller, only, view))) return false
  return (await pageOf(cloudAKeys, caller.domain.id, keysInStores(only.id), { skip: 0, limit: 1 })).total === 0
}

/** Whether the caller may see a key of these entries; `undefined` when the caller may see all of them. */
export async function viewTest(
  context: Pick<Context, 'caller'>,
  entries: readonly StoredCloudAKms[],
): Promise<((row: CloudAKeyRow) => boolean) | undefined> {
  const { caller } = context
  const views = new Set(
    entries.flatMap((entry) => VIEWS.filter((view) => may(caller, entry, view)).map((view) => `${entry.id} ${view}`)),
  )
  if (views.size === entries.length * VIEWS.length || (await seesAll(context, entries))) return undefined
  return (row) => views.has(`${row.kms_id} ${viewOf(row)}`)
}

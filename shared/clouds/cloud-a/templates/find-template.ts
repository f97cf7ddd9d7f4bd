import type { Context } from '../../../http/context.ts'
import { Refusal, notThere } from '../../../base/errors.ts'
import { cloudAKms, type StoredCloudAKms } from '../kms/store.ts'
import { policyTemplates, type StoredPolicyTemplate } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { walk } from '../../../store/list.ts'
import { maySee } from '../../../cloud/containers/find-container.ts'
import { isKeymgrAdmin } from '../../../http/permission.ts'
import { assertActive, kmsKind } from '../kms/kind.ts'

/** Ours: an account seldom has more than two entries. */
const ENTRIES_MOST = 100

/** The entries of an account that the caller may see. */
async function entriesOf({ caller }: Pick<Context, 'caller'>, account: string): Promise<StoredCloudAKms[]> {
  const { items } = await walk(cloudAKms, caller.domain.id, {
    sets: ['all'],
    skip: 0,
    limit: ENTRIES_MOST,
    matches: (row) => row.account_id === account && maySee(kmsKind, caller, row),
    narrowBy: 'kms',
  })
  return items.map(({ item }) => item)
}

/** The entry of a template, or the entries of its account that the caller may see. */
async function entriesBehind(
  context: Pick<Context, 'caller'>,
  { kms_id, account_id }: StoredPolicyTemplate,
): Promise<StoredCloudAKms[]> {
  if (kms_id === undefined) return entriesOf(context, account_id)
  const kms = await cloudAKms.get(context.caller.domain.id, kms_id)
  return kms !== undefined && maySee(kmsKind, context.caller, kms.item) ? [kms.item] : []
}

/**
 * A template that the caller may see, with its entries. Ours: the template of an account outlives the account's
 * entries; then only administrators see it.
 * @throws Refusal NOT_FOUND
 */
export async function findTemplate(
  context: Pick<Context, 'caller'>,
  id: string,
): Promise<{ stored: Stored<StoredPolicyTemplate>; entries: readonly StoredCloudAKms[] }> {
  const stored = await policyTemplates.get(context.caller.domain.id, id)
  const entries = stored === undefined ? [] : await entriesBehind(context, stored.item)
  const mayBeAlone = stored?.item.kms_id === undefined && isKeymgrAdmin(context.caller)
  if (stored === undefined || (entries.length === 0 && !mayBeAlone))
    throw new Refusal('NOT_FOUND', 'There is no such policy template.')
  return { stored, entries }
}

/** The first active entry. @throws Refusal STATE_CONFLICT when there is none */
export function activeOf(entries: readonly StoredCloudAKms[], account: string): StoredCloudAKms {
  const [first] = entries
  const kms = entries.find(({ status }) => status !== 'archived') ?? first
  if (kms === undefined)
    throw new Refusal('STATE_CONFLICT', `The account ${account} has no KMS entry any more: create one first.`)
  assertActive(kms)
  return kms
}

/** An active entry of an account. @throws Refusal NOT_FOUND, STATE_CONFLICT when all of them are archived */
export async function anyKmsOf(context: Pick<Context, 'caller'>, account: string): Promise<StoredCloudAKms> {
  const entries = await entriesOf(context, account)
  if (entries.length === 0)
    throw notThere(`There is no KMS entry of the account ${account}.`, {
      pointer: '#/account_id',
      detail: 'has no KMS entry',
    })
  return activeOf(entries, account)
}

type Test = (row: ReturnType<typeof policyTemplates.row>) => boolean

/** Ours: more entries than any caller has. */
const VISIBLE_MOST = 10_000

/** A test for templates of the entries that the caller may see, and of their accounts. */
export async function visibleTest({ caller }: Pick<Context, 'caller'>): Promise<Test> {
  const { items } = await walk(cloudAKms, caller.domain.id, {
    sets: ['all'],
    skip: 0,
    limit: VISIBLE_MOST,
    matches: (row) => maySee(kmsKind, caller, row),
    narrowBy: 'kms',
  })
  const visible = new Set(items.map(({ item }) => item.id))
  const accounts = new Set(items.map(({ item }) => item.account_id))
  return ({ kms_id, account_id }) => (kms_id === undefined ? accounts.has(account_id) : visible.has(kms_id))
}

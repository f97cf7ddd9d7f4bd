import type { Context } from '../../../http/context.ts'
import { Refusal, notThere } from '../../../base/errors.ts'
import { cloudAKms, type StoredCloudAKms } from '../kms/store.ts'
import { policyTemplates, type StoredPolicyTemplate } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { walk } from '../../../store/list.ts'
import { maySee } from '../../../cloud/containers/find-container.ts'
import { kmsKind } from '../kms/kms-kind.ts'

/** A template of an entry the caller may see. Two reads. @throws Refusal NOT_FOUND */
export async function findTemplate(
  { caller }: Pick<Context, 'caller'>,
  id: string,
): Promise<{ stored: Stored<StoredPolicyTemplate>; kms: StoredCloudAKms }> {
  const domain = caller.domain.id
  const stored = await policyTemplates.get(domain, id)
  const kms = stored && (await cloudAKms.get(domain, stored.item.kms_id))
  if (stored === undefined || kms === undefined || !maySee(kmsKind, caller, kms.item))
    throw new Refusal('NOT_FOUND', 'There is no such policy template.')
  return { stored, kms: kms.item }
}

/** Entries named in a refusal; there are seldom more than two of an account. */
const NAMED_MOST = 10

/** The entry of an account that has but one. @throws Refusal NOT_FOUND, RULE_BROKEN naming them when there are several */
export async function onlyKmsOf({ caller }: Pick<Context, 'caller'>, account: string): Promise<StoredCloudAKms> {
  const { items, total } = await walk(cloudAKms, caller.domain.id, {
    sets: ['all'],
    skip: 0,
    limit: NAMED_MOST,
    matches: (row) => row.account_id === account && maySee(kmsKind, caller, row),
    narrowBy: 'kms',
  })
  const [only] = items
  if (only === undefined)
    throw notThere(`There is no KMS entry of the account ${account}.`, {
      pointer: '#/account_id',
      detail: 'has no KMS entry',
    })
  if (total === 1) return only.item
  const detail = `has several KMS entries; name one of them as kms: ${items.map(({ item }) => item.name).join(', ')}`
  throw new Refusal('RULE_BROKEN', `The account ${account} ${detail}.`, {
    errors: [{ pointer: '#/account_id', detail }],
  })
}

import type { Stored } from '../../store/entity.ts'
import type { CloudAConnectionRecord } from './connections/model.ts'
import { BoundedCache } from '../../base/bounded-cache.ts'
import type { CloudAPlace } from './adapter/types.ts'
import { cloudA } from './adapter.ts'
import { Refusal } from '../../base/errors.ts'
import type { StoredCloudAKms } from './kms/store.ts'
import { connectionOfContainer } from '../../cloud/containers/connection.ts'
import { kmsKind } from './kms/kind.ts'
import { openCloudA } from './connections/open.ts'
import { NAME } from './name.ts'

type Entry = Pick<CloudAPlace, 'connection' | 'role' | 'budget'>

/** Ours: upper bound of connections per instance; an evicted entry is looked up again. */
const ACCOUNTS_CACHED = 500
/**
 * Accounts by connection and role. A connection at one revision, with or without a role, always leads to the same
 * account.
 */
const accounts = new BoundedCache<string>(ACCOUNTS_CACHED)

/** The account of an entry: one call to the cloud at its first use in this instance, none after that. */
async function accountOf({ connection, role, budget }: Entry): Promise<string> {
  const way = JSON.stringify([connection.key, role?.arn, role?.externalId])
  const known = accounts.get(way)
  if (known !== undefined) return known
  const { account_id } = await cloudA.identity({ connection, role, budget })
  accounts.set(way, account_id)
  return account_id
}

/**
 * The access to the account of an entry. Ours: the cloud is asked whether it is still that account, since a connection
 * can be changed, and material must not be sent to another account.
 * @throws Refusal STATE_CONFLICT when its connection is deleted or leads to another account, CLOUD_…
 */
export async function entryOf(
  domain: string,
  kms: StoredCloudAKms,
  budget: AbortSignal,
): Promise<Entry & Pick<CloudAPlace, 'account'>> {
  const stored: Stored<CloudAConnectionRecord> = await connectionOfContainer(NAME, kmsKind, domain, kms)
  const { assume_role_arn: arn, assume_role_external_id: externalId } = kms
  const entry: Entry = {
    connection: await openCloudA(domain, stored),
    ...(arn !== undefined && { role: { arn, externalId } }),
    budget,
  }
  const account = await accountOf(entry)
  if (account !== kms.account_id)
    throw new Refusal(
      'STATE_CONFLICT',
      `The KMS entry ${kms.name} is for the account ${kms.account_id}, and its connection leads to another account, ${account}.`,
    )
  return { ...entry, account }
}

/** One region of an entry. @throws Refusal as `entryOf` */
export async function openPlace(
  domain: string,
  kms: StoredCloudAKms,
  { budget, ...where }: Pick<CloudAPlace, 'region' | 'now' | 'budget' | 'patience'>,
): Promise<CloudAPlace> {
  return { ...(await entryOf(domain, kms, budget)), ...where }
}

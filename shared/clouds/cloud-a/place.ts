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

/** Ours: as many ways in as an instance is likely to use; who was dropped is asked for again. */
const ACCOUNTS_CACHED = 500
/** Accounts that ways in lead to. A connection as it is at one revision, or a role after it, never leads to another. */
const accounts = new BoundedCache<string>(ACCOUNTS_CACHED)

/** The account that a way in leads to: a call to the cloud when this instance first uses it, none after that. */
async function accountOf({ connection, role, budget }: Entry): Promise<string> {
  const way = JSON.stringify([connection.key, role?.arn, role?.externalId])
  const known = accounts.get(way)
  if (known !== undefined) return known
  const { account_id } = await cloudA.identity({ connection, role, budget })
  accounts.set(way, account_id)
  return account_id
}

/**
 * How the account behind an entry is entered. Ours: the cloud is asked whether it is still that account, since a
 * connection can be changed, and material must not get into another account.
 * @throws Refusal STATE_CONFLICT when its connection is gone or leads to another account, CLOUD_…
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

import { resourceUri } from '../../../base/ids.ts'
import type { CloudAKms } from './model.ts'
import type { StoredCloudAKms } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { differences, without } from '../../../base/fields.ts'

export const uriOfKms = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'cloud-a-kms', id)

/** When the whole entry was last read: the earliest of its regions; `undefined` while one was never read. */
function lastSynchronizedAt({ regions, synchronized }: StoredCloudAKms): string | undefined {
  const times = regions.map((region) => synchronized[region])
  return times.includes(undefined) ? undefined : times.filter((time) => time !== undefined).sort()[0]
}

/** An entry as shown. */
export function presentKms(kms: StoredCloudAKms): CloudAKms {
  const last_synchronized_at = lastSynchronizedAt(kms)
  return {
    ...without(kms, 'connection_id', 'synchronized'),
    ...(last_synchronized_at !== undefined && { last_synchronized_at }),
  }
}

export const presentStored = ({ item, rev }: Stored<StoredCloudAKms>): Stored<CloudAKms> => ({
  item: presentKms(item),
  rev,
})

const AUDITED = [
  'name',
  'account_id',
  'arn',
  'assume_role_arn',
  'assume_role_external_id',
  'connection',
  'regions',
  'cloud_name',
  'status',
  'acls',
] as const satisfies readonly (keyof StoredCloudAKms)[]

/** What an audit record says of a change. */
export const told = (
  before: Partial<StoredCloudAKms>,
  after: Partial<StoredCloudAKms>,
): { before: Record<string, unknown>; after: Record<string, unknown> } =>
  differences<StoredCloudAKms>(before, after, AUDITED)

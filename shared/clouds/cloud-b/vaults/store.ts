import * as z from 'zod'
import { containerEntity } from '../../../cloud/containers/entity.ts'
import { storedContainer } from '../../../cloud/containers/model.ts'
import { Time } from '../../../http/common-fields.ts'
import type { Member } from '../../../store/entity.ts'
import { joinedFamily } from '../../../work/schedule/job-operations/rotated.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { CloudBVault } from './model.ts'

const StoredCloudBVault = extended(CloudBVault, () => ({
  ...storedContainer,
  /** when all keys, secrets and certificates were last read */
  synchronized: z.object({ key: Time.optional(), secret: Time.optional(), certificate: Time.optional() }),
}))
export type StoredCloudBVault = z.infer<typeof StoredCloudBVault>

interface Named {
  readonly name: string
  readonly subscription_id: string
  readonly managed_hsm: boolean
}

/** The unique value of a vault: the cloud compares names without regard to case, and pools have names of their own. */
export const vaultKey = ({ name, subscription_id, managed_hsm }: Named): string =>
  `${name}::${subscription_id}${managed_hsm ? '::managed-hsm' : ''}`.toLowerCase()

const called = (name: string): string => `name:${name.toLowerCase()}`

/** The family of a subscription's vaults, by their ids. */
export const vaultsOfSubscription = (subscriptionId: string): string => `subscription:${subscriptionId}`

/**
 * Vaults, unique in a domain by name, subscription and kind; families: those of a name, of a subscription and of a job.
 */
export const cloudBVaults = containerEntity({
  name: 'cloud-b-vault',
  schema: StoredCloudBVault,
  unique: (vault) => ({ vault: [vaultKey(vault)] }),
  families: ({ id, name, subscription_id, labels }) => [
    { name: called(name), key: `${subscription_id} ${id}` },
    { name: vaultsOfSubscription(subscription_id), key: id },
    ...joinedFamily({ id, labels }),
  ],
  row: ({ subscription_id, location, resource_group, sku, managed_hsm }) => ({
    subscription_id,
    location,
    resource_group,
    sku,
    managed_hsm,
  }),
})
export type CloudBVaultRow = ReturnType<typeof cloudBVaults.row>

/** Ours: more vaults than ever share a name. */
const NAMESAKES_MOST = 100

/** Ids of the vaults that `<name>` or `<name>::<subscription_id>` refers to. */
export async function vaultsNamed(domain: string, reference: string): Promise<readonly string[]> {
  const [name = '', subscription] = reference.toLowerCase().split('::')
  const members = await cloudBVaults.membersAfter(domain, called(name), undefined, NAMESAKES_MOST)
  const isOf = ({ key }: Member): boolean => subscription === undefined || key.startsWith(`${subscription} `)
  return members.filter(isOf).map(({ id }) => id)
}

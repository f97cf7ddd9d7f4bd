import { ROTATION_SECONDS } from './adapter/quotas.ts'
import { cloudAKms } from './kms/store.ts'
import { customKeyStores, storesRotatedBy } from './key-stores/store.ts'
import { sagas } from '../../work/sagas/store.ts'
import { rotateCredential } from './key-stores/rotate-credential.ts'
import type { Act, SubJobPlan } from '../../work/schedule/operation.ts'
import type { JobVerbs } from '../../work/work-row.ts'

const PAGE = 100

const skipped = (reason: string): Act => ({ end: 'skipped', reason })

/** Gives each linked key store that joined the configuration a new credential. */
export const credentialRotation: JobVerbs = {
  hasAttached: async (domain, config) =>
    (await customKeyStores.membersAfter(domain, storesRotatedBy(config), undefined, 1)).length > 0,
  check: () => Promise.resolve(),
  find: async ({ domain, config }, cursor) => {
    const members = await customKeyStores.membersAfter(domain, storesRotatedBy(config), cursor, PAGE)
    const stores = await customKeyStores.getMany(
      domain,
      members.map(({ id }) => id),
    )
    const entries = await cloudAKms.getMany(domain, [...new Set(stores.map(({ item }) => item.kms_id))])
    const accounts = new Map(entries.map(({ item }) => [item.id, item.account_id]))
    const plans = stores
      .filter(({ item }) => item.linked_state)
      .map(({ item }): SubJobPlan => ({
        cloud: 'cloud-a',
        resource_type: 'credential',
        resource_id: item.id,
        resource_name: item.name,
        container: item.kms,
        lane: `${accounts.get(item.kms_id) ?? item.kms_id}/${item.region}`,
        seconds: ROTATION_SECONDS.credential,
      }))
    const last = members.at(-1)
    return { plans, ...(members.length === PAGE && last !== undefined && { cursor: last.key }) }
  },
  act: async (context, { resource_id: id }, { job_config_id: config }) => {
    const { domain } = context.caller
    const before = await customKeyStores.get(domain.id, id)
    if (before === undefined) return skipped('The key store is not on record any more.')
    const isBegun = (await sagas.holder(domain.id, 'request', context.fingerprint)) !== undefined
    if (!isBegun && before.item.labels?.job_config_id !== config)
      return skipped('The key store has left the configuration.')
    await rotateCredential(context, id)
    // The store has the new credential before its cloud is told of it.
    const result = (await customKeyStores.get(domain.id, id))?.item.credentials.at(-1)?.id
    return { end: 'done', ...(result !== undefined && { result }) }
  },
}

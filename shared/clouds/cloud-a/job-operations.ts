import { defined } from '../../base/fields.ts'
import { actOnJoined, familyPage, hasJoined } from '../../work/schedule/job-operations/joined.ts'
import type { SubJobPlan } from '../../work/schedule/job-operations/operation.ts'
import { joinedTo } from '../../work/schedule/job-operations/rotated.ts'
import type { JobVerbs } from '../../work/work-row.ts'
import { ROTATION_COSTS } from './adapter/quotas.ts'
import { rotateCredential } from './key-stores/rotate-credential.ts'
import { customKeyStores } from './key-stores/store.ts'
import { cloudAKms } from './kms/store.ts'
import { NAME } from './name.ts'

/** Creates a new credential for each linked key store that joined the configuration. */
export const credentialRotation: JobVerbs = {
  hasAttached: (domain, config) => hasJoined(customKeyStores, domain, config),
  check: () => Promise.resolve(),
  find: async ({ domain, config }, cursor) => {
    const { records: stores, last } = await familyPage(customKeyStores, domain, joinedTo(config), cursor)
    const entries = await cloudAKms.getMany(domain, [...new Set(stores.map(({ kms_id }) => kms_id))], 'leave out')
    const accounts = new Map(entries.map(({ item }) => [item.id, item.account_id]))
    const plans = stores
      .filter(({ linked_state }) => linked_state)
      .map(({ id, name, kms, kms_id, region }): SubJobPlan => ({
        cloud: NAME,
        resource_type: 'credential',
        resource_id: id,
        resource_name: name,
        container: kms,
        quotaGroup: `${accounts.get(kms_id) ?? kms_id}/${region}`,
        ...ROTATION_COSTS.credential,
      }))
    return { plans, ...defined({ cursor: last }) }
  },
  act: (context, { resource_id: id }, { job_config_id: config }) =>
    actOnJoined(context, customKeyStores, { id, noun: 'key store', config }, async () => {
      await rotateCredential(context, id)
      // The store accepts the new credential before its cloud gets it.
      const store = await customKeyStores.get(context.caller.domain.id, id)
      const result = store?.item.credentials.at(-1)?.id
      return { end: 'done', ...defined({ result }) }
    }),
}

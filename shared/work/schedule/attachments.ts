import type { Context } from '../../http/context.ts'
import { Refusal, ruleBroken, notThere } from '../../base/errors.ts'
import type { JobOperation } from './config-model.ts'
import { customKeyStores, storesRotatedBy } from '../../clouds/cloud-a/key-stores/store.ts'
import { jobConfigs, jobConfigStates } from './config-store.ts'
import { Stale } from '../../store/changes.ts'
import { ROTATED } from './rotated-clouds.ts'

/**
 * Stages that something joins a configuration, which must not go at the same moment.
 * @throws Refusal NOT_FOUND, RULE_BROKEN for a configuration of another operation, or of another cloud
 */
export async function joinConfig(
  { caller, changes, now }: Pick<Context, 'caller' | 'changes' | 'now'>,
  id: string,
  wanted: { readonly operation: JobOperation; readonly cloud: string },
): Promise<void> {
  const domain = caller.domain.id
  const stored = await jobConfigs.get(domain, id)
  const pointer = '#/job_config_id'
  if (stored === undefined) throw notThere('There is no such job configuration.', { pointer, detail: 'is not there' })
  const { operation, cloud_name = wanted.cloud } = stored.item
  if (operation !== wanted.operation || cloud_name !== wanted.cloud) {
    throw ruleBroken('job_config_id', `must be a configuration of ${wanted.operation} for ${wanted.cloud}`, pointer)
  }
  const state = await jobConfigStates.get(domain, id)
  if (state === undefined) throw new Stale('The configuration went meanwhile')
  changes.update(jobConfigStates, domain, state, { ...state.item, attached_at: now.toISOString() })
}

/** @throws Refusal IN_USE */
export async function assertNothingAttached(domain: string, config: string): Promise<void> {
  const keys = await Promise.all(
    Object.values(ROTATED).map((cloud) => cloud.entity.membersAfter(domain, cloud.family(config), undefined, 1)),
  )
  const stores = await customKeyStores.membersAfter(domain, storesRotatedBy(config), undefined, 1)
  if (keys.flat().length + stores.length > 0)
    throw new Refusal('IN_USE', 'Keys or key stores are attached to the configuration: take them out of it first.')
}

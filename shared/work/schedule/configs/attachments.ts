import type { Context } from '../../../http/context.ts'
import { Refusal, ruleBroken, notThere } from '../../../base/errors.ts'
import { jobConfigs, jobConfigStates } from './store.ts'
import { Stale } from '../../../store/changes.ts'
import { workRows } from '../../work-row.ts'
import { hasJoined } from '../job-operations/joined.ts'
import { rotatedCloud, rotatedClouds } from '../job-operations/rotated-clouds.ts'

/**
 * Stages that a key or key store joins a configuration, which must not be deleted at the same moment.
 * @param wanted `field` names the body's field; default `job_config_id`
 * @throws Refusal NOT_FOUND, RULE_BROKEN for a configuration of another operation, or of another cloud
 */
export async function joinConfig(
  { caller, changes, now }: Pick<Context, 'caller' | 'changes' | 'now'>,
  id: string,
  wanted: { readonly operation: string; readonly cloud: string; readonly field?: string },
): Promise<void> {
  const domain = caller.domain.id
  const stored = await jobConfigs.get(domain, id)
  const { field = 'job_config_id' } = wanted
  const pointer = `#/${field}`
  if (stored === undefined) throw notThere('There is no such job configuration.', { pointer, detail: 'is not there' })
  const { operation, cloud_name = wanted.cloud } = stored.item
  if (operation !== wanted.operation || cloud_name !== wanted.cloud) {
    throw ruleBroken(field, `must be a configuration of ${wanted.operation} for ${wanted.cloud}`, pointer)
  }
  const state = await jobConfigStates.get(domain, id)
  if (state === undefined) throw new Stale('The configuration went meanwhile')
  changes.update(jobConfigStates, domain, state, { ...state.item, attached_at: now.toISOString() })
}

/** @throws Refusal IN_USE */
export async function assertNothingAttached(domain: string, config: string): Promise<void> {
  const operations = workRows().flatMap(({ jobOperations }) => jobOperations ?? [])
  const attached = await Promise.all([
    ...rotatedClouds().map(async (name) => {
      const { entity, containers } = await rotatedCloud(name)
      if (await hasJoined(entity, domain, config)) return true
      return containers !== undefined && hasJoined(containers, domain, config)
    }),
    ...operations.map(async ({ load }) => (await load()).hasAttached(domain, config)),
  ])
  if (attached.includes(true))
    throw new Refusal(
      'IN_USE',
      `Keys, containers of keys or key stores are attached to the configuration: take them out of it first. Lists of keys find keys by job_config_id=${config}.`,
    )
}

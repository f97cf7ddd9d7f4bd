import type { Context } from '../../../http/context.ts'
import { shortestSpacingMinutes } from '../../../base/cron.ts'
import { Refusal } from '../../../base/errors.ts'
import { commonFields, resourceUri, uuid } from '../../../base/ids.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import {
  isJobParams,
  jobConfigRules,
  type CreateJobConfig,
  type JobConfig,
  type JobConfigQuery,
  type UpdateJobConfig,
} from './model.ts'
import { containerLists, paramsFields, type JobParams } from './params.ts'
import { Stale } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { jobConfigs, jobConfigStates, type StoredJobConfig, type StoredJobConfigState } from './store.ts'
import { isOver, jobs } from '../runs/store.ts'
import { defined, patched, without } from '../../../base/fields.ts'
import { initiatorOf } from '../../../http/on-behalf.ts'
import { listed, type ResourceList } from '../../../resource/listed.ts'
import { fieldsOf, textsOf } from '../../../base/json.ts'
import { assertNothingAttached } from './attachments.ts'
import { keepSchedule } from '../keep-schedule.ts'
import { jobOperation } from '../job-operations/job-operations.ts'
import { cronOf, presentConfig, statesOf } from './present-config.ts'

/** @throws Refusal NOT_FOUND */
export async function findConfig({ caller }: Pick<Context, 'caller'>, id: string): Promise<Stored<StoredJobConfig>> {
  const stored = await jobConfigs.get(caller.domain.id, id)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'There is no such job configuration.')
  return stored
}

/** The state of a configuration. @throws Stale when it was deleted meanwhile */
export async function stateOf(domain: string, id: string): Promise<Stored<StoredJobConfigState>> {
  const state = await jobConfigStates.get(domain, id)
  if (state === undefined) throw new Stale('The configuration went meanwhile')
  return state
}

const told = ({ name, operation, run_at, disabled, start_date, end_date, job_config_params }: StoredJobConfig) => ({
  name,
  operation,
  run_at,
  disabled,
  ...defined({ start_date, end_date }),
  job_config_params,
})

/** The fields of the parameters that lists filter by. */
function filteredBy(params: JobParams): Pick<StoredJobConfig, 'cloud_name' | 'expire_in'> {
  const [cloud_name, expire_in] = [params.cloud_name, params.expire_in].map((given) => textsOf(given)[0])
  return defined({ cloud_name, expire_in })
}

/** The parameters in a body for its operation; a rotation of keys needs none. */
const paramsIn = (body: CreateJobConfig): JobParams => {
  const field = paramsFields()[body.operation]
  return field === undefined ? {} : fieldsOf(body[field]) // checked with the body
}

/**
 * The configuration that a body describes, checked against the records it names. @throws Refusal NOT_FOUND,
 * NOT_SUPPORTED
 */
export async function configFrom(context: Context, body: CreateJobConfig): Promise<StoredJobConfig> {
  const { caller, now } = context
  const { name, description, operation, run_at, run_on, disabled, start_date, end_date } = body
  const { complete, check } = jobOperation(operation)
  const given = paramsIn(body)
  const params = (await complete?.(context, given)) ?? given
  await check(context, params)
  const id = uuid(now)
  return {
    ...commonFields(caller.domain.id, id, resourceUri(caller.domain.id, 'keymgr', 'job-config', id), now),
    name,
    ...defined({ description }),
    operation,
    run_at,
    run_on,
    disabled,
    ...defined({ start_date, end_date }),
    job_config_params: params,
    ...filteredBy(params),
    initiator: initiatorOf(caller),
  }
}

/** The configuration with the warnings that it gives now. */
async function warned(config: StoredJobConfig, domain: string): Promise<StoredJobConfig> {
  const spacingMinutes = shortestSpacingMinutes(cronOf(config))
  const of = { domain, params: config.job_config_params, spacingMinutes }
  const warnings = (await jobOperation(config.operation).warnings?.(of)) ?? []
  return { ...without(config, 'warnings'), ...(warnings.length > 0 && { warnings: [...warnings] }) }
}

/** @throws Refusal NOT_FOUND for an unknown container, NAME_TAKEN, NOT_SUPPORTED for a cloud that is not offered */
export async function createConfig(context: Context, body: CreateJobConfig): Promise<Stored<JobConfig>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const config = await warned(await configFrom(context, body), domain)
  changes.create(jobConfigs, domain, config)
  changes.create(jobConfigStates, domain, { id: config.id, dueAt: now.toISOString() })
  context.about({ uri: config.uri, name: config.name, after: told(config) })
  context.afterCommit(() => keepSchedule(domain, config.id, now))
  return presentConfig({ item: config, rev: 1 }, undefined, now)
}

export async function getConfig(context: Context, id: string): Promise<Stored<JobConfig>> {
  const { caller, now } = context
  const stored = await findConfig(context, id)
  return presentConfig(stored, (await statesOf(caller.domain.id, [id])).get(id), now)
}

export async function listConfigs({ caller, now }: Context, query: JobConfigQuery): Promise<ResourceList<JobConfig>> {
  const domain = caller.domain.id
  const { id, name, operation, disabled, cloud_name, expire_in } = query
  const page = await listed(jobConfigs, domain, query, {
    served: 'all',
    filters: {
      id,
      operation,
      cloud_name,
      expire_in,
      disabled: disabled === undefined ? undefined : [String(disabled)],
    },
    patterns: { name },
    present: (stored) => stored,
  })
  const states = await statesOf(
    domain,
    page.resources.map(({ item }) => item.id),
  )
  return {
    ...page,
    resources: page.resources.map((stored) => presentConfig(stored, states.get(stored.item.id), now).item),
  }
}

/** The parameters after a change; the same object when they do not change. */
function changedParams(operation: string, before: JobParams, body: UpdateJobConfig): JobParams {
  const { keymgr_synchronization_params: lists, keymgr_key_rotation_params: rotation } = body
  const { add_containers_params: search } = body
  if ([lists, rotation, search].every((params) => params === undefined)) return before
  if (operation === 'keymgr_synchronization') return changedLists(before, lists ?? {})
  return patched(before, { ...rotation, ...search }) // checked as a whole below
}

/** Ours: a list, or `synchronize_all`, replaces the former choice; the caller need not remove the other one. */
function changedLists(
  before: JobParams,
  lists: NonNullable<UpdateJobConfig['keymgr_synchronization_params']>,
): JobParams {
  const allLists = Object.values(containerLists())
  const names = allLists.filter((list) => lists[list] !== undefined && lists[list] !== null)
  const isOther = names.length > 0 || lists.synchronize_all === true
  const base = isOther ? without(before, ...allLists, 'synchronize_all') : before
  return patched(base, { ...lists }) // checked as a whole below
}

/** @throws Refusal RULE_BROKEN for parameters of other operations, and for fields that exclude each other */
function assertWhole(config: StoredJobConfig, body: UpdateJobConfig): void {
  const own = paramsFields()[config.operation]
  const others = Object.values(paramsFields()).filter((field) => field !== own && fieldsOf(body)[field] !== undefined)
  const whole = {
    operation: config.operation,
    start_date: config.start_date,
    end_date: config.end_date,
    ...(own !== undefined && { [own]: config.job_config_params }),
  }
  const isWhole = isJobParams(config.job_config_params)
  const errors = [
    ...(isWhole ? [] : [{ pointer: `#/${own ?? ''}`, detail: 'is inconsistent with the existing fields' }]),
    ...others.map((field) => ({ pointer: `#/${field}`, detail: `is not for ${config.operation}` })),
    ...jobConfigRules().flatMap(({ message, field, broken }) => {
      const fault = broken(whole)
      return fault === false ? [] : [{ pointer: `#/${field}`, detail: fault === true ? message : fault }]
    }),
  ]
  if (errors.length > 0)
    throw new Refusal('RULE_BROKEN', `The changed configuration would be invalid: ${errors[0]?.detail ?? ''}.`, {
      errors,
    })
}

/**
 * Changes a configuration; operation and cloud stay. The caller becomes the initiator of its runs.
 * @throws Refusal NOT_FOUND, VERSION_STALE, RULE_BROKEN, NAME_TAKEN
 */
export async function updateConfig(context: Context, id: string, body: UpdateJobConfig): Promise<Stored<JobConfig>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const stored = await findConfig(context, id)
  assertIfMatch(context, stored)
  const after = await warned(changed(context, stored.item, body), domain)
  if (after.job_config_params !== stored.item.job_config_params)
    await jobOperation(after.operation).check(context, after.job_config_params)
  const state = await stateOf(domain, id)
  changes.update(jobConfigs, domain, stored, after)
  changes.update(jobConfigStates, domain, state, { ...state.item, dueAt: now.toISOString() })
  context.about({
    uri: after.uri,
    name: after.name,
    before: told(stored.item),
    after: told(after),
    record: stored.item,
  })
  context.afterCommit(() => keepSchedule(domain, id, now))
  return presentConfig({ item: after, rev: stored.rev + 1 }, state.item, now)
}

/** A configuration as a body would change it. @throws Refusal RULE_BROKEN */
export function changed(context: Context, before: StoredJobConfig, body: UpdateJobConfig): StoredJobConfig {
  const { name, description, run_at, disabled, start_date, end_date } = body
  const params = changedParams(before.operation, before.job_config_params, body)
  const after: StoredJobConfig = {
    ...patched(without(before, 'cloud_name', 'expire_in'), {
      name,
      description,
      run_at,
      disabled,
      start_date,
      end_date,
    }),
    job_config_params: params,
    ...filteredBy(params),
    initiator: initiatorOf(context.caller),
    updatedAt: context.now.toISOString(),
  }
  assertWhole(after, body)
  return after
}

/**
 * Deletes a configuration and its schedules. A run under way ends as aborted; its records stay.
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while keys or key stores are attached
 */
export async function deleteConfig(context: Context, id: string): Promise<void> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const stored = await findConfig(context, id)
  assertIfMatch(context, stored)
  const state = await stateOf(domain, id)
  await assertNothingAttached(domain, id)
  changes.remove(jobConfigs, domain, stored)
  changes.update(jobConfigStates, domain, state, { ...state.item, dueAt: now.toISOString() })
  const run = state.item.job === undefined ? undefined : await jobs.get(domain, state.item.job)
  if (run !== undefined && !isOver(run.item)) changes.update(jobs, domain, run, { ...run.item, abort: true })
  context.about({ uri: stored.item.uri, name: stored.item.name, before: told(stored.item), record: stored.item })
  context.afterCommit(() => keepSchedule(domain, id, now))
}

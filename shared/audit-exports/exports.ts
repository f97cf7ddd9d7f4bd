import { defined } from '../base/fields.ts'
import { Refusal, notThere, ruleBroken } from '../base/errors.ts'
import { commonFields, resourceUri, uuid } from '../base/ids.ts'
import { propertyValue } from '../audit/properties/store.ts'
import type { Context } from '../http/context.ts'
import { accepted, ok, type Reply } from '../http/operation.ts'
import { newGenerations, startGeneration } from '../work/engine/generation.ts'
import { domainOfInstance } from './service-instances.ts'
import { addressOf, newAddressKey } from './address.ts'
import type { CreateExport, ExportState } from './model.ts'
import { auditExports, EXPORT_FLOW, exportParts, UNDER_WAY, type StoredExport } from './store.ts'

/**
 * Begins an export.
 * @throws Refusal NOT_FOUND for a service instance that the credential may not see, RULE_BROKEN for a future time,
 * STATE_CONFLICT while too many are under way
 */
export async function createExport(context: Context, body: CreateExport): Promise<{ jobId: string }> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  if (Date.parse(body.from) > now.getTime()) throw ruleBroken('from', 'must not be in the future')
  const { resourceId } = body
  const tenant = resourceId === undefined ? domain : await domainOfInstance(context, resourceId)
  if (tenant === undefined)
    throw notThere('There is no such service instance.', { pointer: '#/resourceId', detail: 'is not there' })
  const most = await propertyValue('audit_exports_under_way', now)
  await changes.relyOnRoom(
    auditExports,
    domain,
    { set: UNDER_WAY, most },
    () => new Refusal('STATE_CONFLICT', `${most} exports are under way: wait for the end of one.`),
  )
  const id = uuid(now)
  const item: StoredExport = {
    ...commonFields(domain, id, resourceUri(domain, 'audit', 'audit-log-exports', id), now),
    tenant,
    from: new Date(body.from).toISOString(),
    to: new Date(Math.min(Date.parse(body.to), now.getTime())).toISOString(),
    created_by: caller.sub,
    status: 'in_progress',
    sealed: await newAddressKey(domain, id),
    ...newGenerations(now),
  }
  changes.create(auditExports, domain, item)
  context.about({ uri: item.uri, name: id, after: { tenant, from: item.from, to: item.to } })
  context.afterCommit(() => startGeneration(EXPORT_FLOW, domain, item))
  return { jobId: id }
}

/** State of an export; with a new address once it is completed. @throws Refusal NOT_FOUND */
export async function getExport({ caller, now }: Context, id: string): Promise<Reply> {
  const domain = caller.domain.id
  const stored = await auditExports.get(domain, id)
  if (stored === undefined) throw notThere('There is no such export.')
  const { status, message } = stored.item
  const records = stored.item.records ?? (await exportParts.get(domain, id))?.item.listed ?? 0
  const state: ExportState = { jobId: id, status, records, ...defined({ message }) }
  if (status === 'in_progress') return accepted(state)
  return ok(status === 'completed' ? { ...state, ...(await addressOf(domain, stored.item, now)) } : state)
}

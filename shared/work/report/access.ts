import { hasGroup, type Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import type { Stored } from '../../store/entity.ts'
import { reports, type StoredReport } from './store.ts'
import { isKeymgrAdmin } from '../../http/permission.ts'
import type { AnyReported, ReportAction } from './reported.ts'

/** Members may see the reports of every container. */
const READERS = 'keymgr Reports Users'

/**
 * Whether the caller may act on a report of these containers: every container must permit it. Ours: a deleted container
 * grants nothing, so only administrators see its reports.
 */
export async function permitting(
  { caller }: Pick<Context, 'caller'>,
  of: AnyReported,
  action: ReportAction,
): Promise<(containerIds: readonly string[]) => boolean> {
  if (isKeymgrAdmin(caller) || (action === 'reportview' && hasGroup(caller, READERS))) return () => true
  const may = await of.containersWith(caller, action)
  return (ids) => ids.every((id) => may.has(id))
}

/**
 * A report of a cloud that the caller may see and act on.
 * @throws Refusal NOT_FOUND, ACTION_DENIED
 */
export async function findReport(
  context: Pick<Context, 'caller'>,
  of: AnyReported,
  id: string,
  action: ReportAction,
): Promise<Stored<StoredReport>> {
  const stored = await reports.get(context.caller.domain.id, id)
  const ids = stored?.item.containers.map((container) => container.id) ?? []
  if (stored?.item.cloud_name !== of.cloud || !(await permitting(context, of, 'reportview'))(ids))
    throw new Refusal('NOT_FOUND', 'There is no such report.')
  if (action !== 'reportview' && !(await permitting(context, of, action))(ids))
    throw new Refusal('ACTION_DENIED', `This takes the action ${action} on every container of the report.`)
  return stored
}

import type { CloudCProjectRead, CloudCRing } from './adapter/types.ts'
import type { Context } from '../../http/context.ts'
import type { Refusal } from '../../base/errors.ts'
import { notThere } from '../../base/errors.ts'
import type { CloudCConnectionRecord } from './connections/model.ts'
import type { Stored } from '../../store/entity.ts'
import { budgetOf } from '../../cloud/budget.ts'
import { connectionInBody } from '../../cloud/containers/connection.ts'
import { proveConnection } from '../../cloud/connections/test-connection.ts'
import { cloudC } from './adapter.ts'
import { entryOf } from './place.ts'
import { NAME } from './name.ts'

type OwnConnection = Stored<CloudCConnectionRecord>
/** The connection that a body names. @throws Refusal NOT_FOUND */
export const connectionNamed = (context: Pick<Context, 'caller'>, nameOrId: string): Promise<OwnConnection> =>
  connectionInBody(NAME, context, nameOrId)

type Asking = Pick<Context, 'caller' | 'once'>

/** Cache key: connection id and revision, and the subject. */
const asked = ({ item, rev }: OwnConnection, what: string): string => `cloud-c ${item.id} ${rev} ${what}`

/**
 * A project, if the connection reaches it. The connection must be ready, because it is about to be used. One call per
 * request.
 * @throws Refusal RULE_BROKEN for the connection, CLOUD_…
 */
export async function proveProject(
  context: Context,
  stored: OwnConnection,
  projectId: string,
): Promise<CloudCProjectRead | undefined> {
  await budgetOf(context) // starts before the test of the connection, so that the budget includes it
  await proveConnection(context, stored)
  return context.once(asked(stored, projectId), async () => cloudC.project(await entryOf(context, stored), projectId))
}

/** A ring as the cloud describes it, by its full name. One call per request. @throws Refusal CLOUD_… */
export const ringAt = (context: Asking, stored: OwnConnection, name: string): Promise<CloudCRing | undefined> =>
  context.once(asked(stored, name), async () => cloudC.ring(await entryOf(context, stored), name))

/** The refusal of a reference that the connection does not reach. Ours: the same as for one that does not exist. */
export const unreached = (pointer: string, what: string): Refusal => {
  const detail = `is no ${what} that the connection reaches`
  return notThere(`There is no such ${what}, or the connection does not reach it.`, { pointer, detail })
}

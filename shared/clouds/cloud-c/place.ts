import type { CloudCEntry, CloudCPlace } from './adapter/types.ts'
import type { Context } from '../../http/context.ts'
import type { StoredCloudCRing } from './rings/store.ts'
import type { CloudCConnectionRecord } from './connections/model.ts'
import type { Stored } from '../../store/entity.ts'
import { budgetOf } from '../../cloud/budget.ts'
import { connectionOfContainer } from '../../cloud/containers/connection.ts'
import { ringKind } from './rings/kind.ts'
import { openCloudC } from './connections/open.ts'
import { NAME } from './name.ts'

type Asking = Pick<Context, 'caller' | 'once'>

/** A connection opened for a request. */
export const entryOf = async (context: Asking, stored: Stored<CloudCConnectionRecord>): Promise<CloudCEntry> => ({
  connection: await openCloudC(context.caller.domain.id, stored),
  budget: await budgetOf(context),
  patience: 'request',
})

/**
 * One key ring. Ours: if the connection was changed and now leads elsewhere, no harm is done: the ring's full name
 * identifies the project.
 * @throws Refusal STATE_CONFLICT when the ring has lost its connection
 */
export async function openRing(
  domain: string,
  ring: StoredCloudCRing,
  how: Pick<CloudCPlace, 'now' | 'budget' | 'patience'>,
): Promise<CloudCPlace> {
  const stored: Stored<CloudCConnectionRecord> = await connectionOfContainer(NAME, ringKind, domain, ring)
  return { connection: await openCloudC(domain, stored), ring: ring.name, ...how }
}

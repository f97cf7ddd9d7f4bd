import { ruleBroken } from '../../../base/errors.ts'
import { connectedBy } from '../../../cloud/containers/connection.ts'
import { changeContainer, removeContainer } from '../../../cloud/containers/change-container.ts'
import { assertMayEach } from '../../../cloud/containers/going-records.ts'
import { assertIdle, assertNoWork } from '../../../cloud/containers/idle.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudCRing, UpdateRing } from '../projects/model.ts'
import { connectionNamed, proveProject, ringAt } from '../reached.ts'
import { cloudCKeys, keysOfRing } from '../keys/store.ts'
import { ringPurge } from './purge-ring.ts'
import { ringKind } from './kind.ts'

/**
 * Changes the connection of a ring; the new one must reach it.
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while it is synchronized, RULE_BROKEN, CLOUD_…
 */
export const updateRing = (context: Context, id: string, body: UpdateRing): Promise<Stored<CloudCRing>> =>
  changeContainer(ringKind, context, id, async (ring) => {
    await assertIdle(ringKind, context, ring)
    const connection = await connectionNamed(context, body.connection)
    const project = await proveProject(context, connection, ring.project_id)
    if (project === undefined || (await ringAt(context, connection, ring.name)) === undefined) {
      throw ruleBroken('connection', `must reach the key ring ${ring.name}`)
    }
    return { ...ring, ...connectedBy(connection.item) }
  })

/**
 * Removes a ring, with the records of its keys; the cloud does not change.
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while it is synchronized or has unfinished sagas
 */
export const removeRing = (context: Context, id: string): Promise<void> =>
  removeContainer(ringKind, context, id, async (ring) => {
    await assertIdle(ringKind, context, ring)
    await assertNoWork(ringKind, context, ring)
    await assertMayEach(context, { entity: cloudCKeys, family: keysOfRing(id), action: 'DeleteCloudCKey' })
    ringPurge.plan(context, id)
  })

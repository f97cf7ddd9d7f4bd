import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { honourIfMatch } from '../../../http/if-match.ts'
import type { UpdateAcls } from '../../../cloud/containers/acl-model.ts'
import type { CloudCRing, RingQuery, UpdateRing } from '../projects/model.ts'
import { cloudCRings, type CloudCRingRow, type StoredCloudCRing } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { isKeymgrAdmin } from '../../../cloud/containers/acl.ts'
import { permissionsAfter } from '../../../cloud/containers/change-acls.ts'
import { assertIdle, assertNoWork } from '../../../cloud/containers/idle.ts'
import { listed, type ResourceList } from '../../../http/listed.ts'
import { usesOneOf } from '../projects/projects.ts'
import { connectionNamed, proveProject, ringAt } from '../reached.ts'
import { viewOf } from '../views.ts'
import { findRing, maySee } from './find-ring.ts'
import { planRingPurge } from './purge-ring.ts'
import { presentRing, presentStored, told } from './records.ts'

const called = ({ name }: StoredCloudCRing): string => `The key ring ${name}`

function recorded(
  context: Context,
  stored: Stored<StoredCloudCRing>,
  change: Partial<StoredCloudCRing>,
): Stored<CloudCRing> {
  const { caller, changes, now } = context
  const after: StoredCloudCRing = { ...stored.item, ...change, updatedAt: now.toISOString() }
  changes.update(cloudCRings, caller.domain.id, stored, after)
  context.about({ uri: after.uri, name: after.name, ...told(stored.item, after) })
  return presentStored({ item: after, rev: stored.rev + 1 })
}

/** @throws Refusal NOT_FOUND, also for a ring the caller may not see */
export const getRing = async (context: Context, id: string): Promise<Stored<CloudCRing>> =>
  presentStored(await findRing(context, id))

/** The rings the caller may see. */
export async function listRings({ caller }: Context, query: RingQuery): Promise<ResourceList<CloudCRing>> {
  const tests: ((row: CloudCRingRow) => boolean)[] = []
  if (!isKeymgrAdmin(caller)) tests.push((row) => maySee(caller, row))
  if (query.connection !== undefined) tests.push(usesOneOf(query.connection))
  return listed(cloudCRings, caller.domain.id, query, {
    served: 'all',
    filters: {
      id: query.id,
      project_id: query.project_id,
      key_ring_id: query.key_ring_id,
      location: query.location,
      organization: query.organization,
      cloud_name: query.cloud_name,
    },
    patterns: { name: query.name },
    matches: (row) => tests.every((test) => test(row)),
    narrowedBy: tests.length > 0,
    present: ({ item }) => presentRing(item),
  })
}

/**
 * Gives a ring another connection, which must reach it.
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while it is synchronized, RULE_BROKEN, CLOUD_…
 */
export async function updateRing(context: Context, id: string, body: UpdateRing): Promise<Stored<CloudCRing>> {
  const stored = await findRing(context, id)
  const { item: ring } = stored
  honourIfMatch(context, stored)
  await assertIdle(context, { id, called: called(ring) })
  const connection = await connectionNamed(context, body.connection)
  const project = await proveProject(context, connection, ring.project_id)
  if (project === undefined || (await ringAt(context, connection, ring.name)) === undefined) {
    const detail = `must reach the key ring ${ring.name}`
    throw new Refusal('RULE_BROKEN', `connection ${detail}.`, { errors: [{ pointer: '#/connection', detail }] })
  }
  const { name, id: connection_id, cloud_name } = connection.item
  return recorded(context, stored, { connection: name, connection_id, cloud_name })
}

/** Gives and takes actions, one entry after the other. @throws Refusal NOT_FOUND, VERSION_STALE, RULE_BROKEN */
export async function updateRingAcls(context: Context, id: string, body: UpdateAcls): Promise<Stored<CloudCRing>> {
  const stored = await findRing(context, id)
  honourIfMatch(context, stored)
  return recorded(context, stored, { acls: await permissionsAfter(context, stored.item.acls, body, viewOf) })
}

/**
 * A ring goes, and with it what is known of its keys; the cloud is left alone.
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while it is synchronized or worked in
 */
export async function removeRing(context: Context, id: string): Promise<void> {
  const stored = await findRing(context, id)
  const { item } = stored
  honourIfMatch(context, stored)
  await assertIdle(context, { id, called: called(item) })
  await assertNoWork(context, { id, called: called(item) })
  context.changes.remove(cloudCRings, context.caller.domain.id, stored)
  planRingPurge(context, id)
  context.about({ uri: item.uri, name: item.name, before: told(item, {}).before })
}

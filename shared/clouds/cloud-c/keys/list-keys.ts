import type { Context } from '../../../http/context.ts'
import type { CloudCKey, CloudCKeyQuery } from './model.ts'
import { Uuid } from '../../../http/common-fields.ts'
import { cloudCKeys, type CloudCKeyRow, type StoredCloudCKey } from './store.ts'
import { cloudCRings, type StoredCloudCRing } from '../rings/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { may } from '../../../cloud/containers/acl.ts'
import { isKeymgrAdmin } from '../../../http/permission.ts'
import { containersPermitting } from '../../../cloud/containers/permitting.ts'
import { listed, type ResourceList } from '../../../http/listed.ts'
import { labelsTest } from '../../../http/selectors.ts'
import { containerNamed } from '../../../cloud/containers/find-container.ts'
import { ringKind } from '../rings/ring-kind.ts'
import { VIEW } from './find-key.ts'
import { presentKey } from './records.ts'

type Test = (row: CloudCKeyRow) => boolean

/** The rings a listing looks into; `undefined`: all there are, because the caller may see all and names none. */
async function ringsOf(
  context: Pick<Context, 'caller'>,
  { key_ring: named, key_ring_id: ids }: CloudCKeyQuery,
): Promise<StoredCloudCRing[] | undefined> {
  const { caller } = context
  const references = named ?? ids
  if (references === undefined)
    return isKeymgrAdmin(caller) ? undefined : containersPermitting(cloudCRings, caller, [VIEW], 'key_ring')
  const found = await Promise.all(
    [...new Set(references)].map((each) => containerNamed(ringKind, caller.domain.id, each)),
  )
  const rings = new Map(found.flatMap((stored) => (stored === undefined ? [] : [[stored.item.id, stored.item]])))
  return [...rings.values()].filter((ring) => (ids?.includes(ring.id) ?? true) && may(caller, ring, VIEW))
}

/** The filters of a query that no field answers by itself. */
function testsOf(query: CloudCKeyQuery): Test[] {
  const tests: Test[] = []
  const { gone, rotation_job_enabled: isRotated, labels } = query
  if (gone !== undefined) tests.push((row) => row.gone === gone)
  if (isRotated !== undefined) tests.push((row) => (row.job_config_id !== undefined) === isRotated)
  if (labels !== undefined) tests.push(labelsTest(labels, 'labels'))
  return tests
}

/** A page's keys as shown: what their rings know of the last synchronization is read once. */
async function presented(
  domain: string,
  { resources, ...page }: ResourceList<Stored<StoredCloudCKey>>,
): Promise<ResourceList<CloudCKey>> {
  const rings = await cloudCRings.getMany(domain, [...new Set(resources.map(({ item }) => item.key_ring_id))])
  const byId = new Map(rings.map(({ item }) => [item.id, item]))
  return { ...page, resources: resources.map((stored) => presentKey(stored, byId.get(stored.item.key_ring_id)).item) }
}

const isRecordId = (id: string): boolean => Uuid.safeParse(id).success

/** Keys the caller may see. Those of one ring cost the same at any `skip`, and so do all of them. */
export async function listKeys(context: Context, query: CloudCKeyQuery): Promise<ResourceList<CloudCKey>> {
  const domain = context.caller.domain.id
  const rings = await ringsOf(context, query)
  const tests = testsOf(query)
  const direct = query.id && (await cloudCKeys.getMany(domain, [...new Set(query.id.filter(isRecordId))]))
  if (rings && direct) tests.push(({ key_ring_id }) => rings.some(({ id }) => id === key_ring_id))
  const page = await listed(cloudCKeys, domain, query, {
    served: direct ? [] : (rings?.map(({ id }) => `ring:${id}`) ?? 'all'),
    ...(direct && { extraItems: direct }),
    filters: {
      id: query.id,
      project_id: query.project_id,
      location_id: query.location_id,
      purpose: query.purpose,
      protection_level: query.protection_level,
      algorithm: query.algorithm,
      state: query.state,
      create_status: query.create_status,
      key_material_origin: query.key_material_origin,
      job_config_id: query.job_config_id,
    },
    patterns: { key_name: query.key_name },
    matches: (row) => tests.every((test) => test(row)),
    matchesNarrows: tests.length > 0,
    narrowBy: 'key_ring, createdAfter and createdBefore',
    present: (stored) => stored,
  })
  return presented(domain, page)
}

import { containersAsked, keysById, listKeys as listed } from '../../../cloud/keys/list-keys.ts'
import type { Context } from '../../../http/context.ts'
import type { ResourceList } from '../../../http/listed.ts'
import { labelsTest } from '../../../http/selectors.ts'
import { ringKind } from '../rings/ring-kind.ts'
import { keyKind, VIEW, type CloudCTypes } from './kinds.ts'
import type { CloudCKey, CloudCKeyQuery } from './model.ts'
import type { CloudCKeyRow } from './store.ts'

type Test = (row: CloudCKeyRow) => boolean

/** The filters of a query that no field answers by itself. */
function testsOf({ gone, rotation_job_enabled: isRotated, labels }: CloudCKeyQuery): Test[] {
  const tests: Test[] = []
  if (gone !== undefined) tests.push((row) => row.gone === gone)
  if (isRotated !== undefined) tests.push((row) => (row.job_config_id !== undefined) === isRotated)
  if (labels !== undefined) tests.push(labelsTest(labels, 'labels'))
  return tests
}

/** Keys the caller may see. */
export async function listKeys(context: Context, query: CloudCKeyQuery): Promise<ResourceList<CloudCKey>> {
  const asked = { named: query.key_ring, ids: query.key_ring_id }
  const containers = await containersAsked<CloudCTypes>(ringKind, context, asked, [VIEW], 'key_ring')
  return listed(keyKind, context, query, {
    containers,
    direct: query.id && (await keysById(keyKind, context.caller.domain.id, query.id)),
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
    tests: testsOf(query),
    containerIdOf: ({ key_ring_id }) => key_ring_id,
    narrowBy: 'key_ring, createdAfter and createdBefore',
  })
}

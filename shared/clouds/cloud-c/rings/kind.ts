import type { ContainerKind } from '../../../cloud/containers/kind.ts'
import { RECORDED_ALONE } from '../../../cloud/containers/model.ts'
import { without } from '../../../base/fields.ts'
import type { CloudCRing } from '../projects/model.ts'
import { PERMISSIONS } from '../projects/kind.ts'
import { cloudCRings, type CloudCRingRow, type StoredCloudCRing } from './store.ts'

/** Key rings, which contain keys. */
export const ringKind: ContainerKind<StoredCloudCRing, CloudCRingRow, CloudCRing> = {
  entity: cloudCRings,
  noun: 'key ring',
  nameOf: ({ name }) => name,
  namedBy: 'name',
  ...PERMISSIONS,
  audited: ['name', 'connection', 'acls'],
  present: (ring) => without(ring, ...RECORDED_ALONE),
}

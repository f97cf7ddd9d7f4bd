import * as z from 'zod'
import { sweptEntity } from '../../../cloud/containers/swept-work.ts'

export const PURGE_DUE = 'purge-container'

/**
 * Records of keys to remove because their region, or their whole entry, was removed. For an entry, its templates are
 * removed too.
 */
export const containerPurges = sweptEntity('container-purge', PURGE_DUE, {
  kms_id: z.string(),
  regions: z.array(z.string()),
})
export type ContainerPurge = Pick<ReturnType<typeof containerPurges.schema.parse>, 'kms_id' | 'regions'>

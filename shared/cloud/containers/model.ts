import * as z from 'zod'
import { Resource, Time } from '../../http/common-fields.ts'
import { anyPatterns, anyTexts } from '../../http/lists/list-query.ts'
import { extended } from '../../base/lazy-fields.ts'
import { Acl } from './acl-model.ts'

/** Fields of the containers of every cloud. */
export const CommonContainer = extended(Resource, () => ({
  name: z.string(),
  connection: z.string().optional().meta({ description: 'name; absent when the connection was deleted by force' }),
  acls: z.array(Acl),
}))

/** Fields that only a container's record has. */
export const storedContainer = {
  /** absent after its connection was deleted by force */
  connection_id: z.string().optional(),
  /** the latest synchronization that read the record of every key, also of those that the cloud describes as before */
  records_read_at: Time.optional(),
}
export const RECORDED_ALONE = ['connection_id', 'records_read_at'] as const

export const commonContainerFilters = { ...anyPatterns('name'), ...anyTexts('id', 'connection') }

import * as z from 'zod'
import { Resource } from '../../http/common-fields.ts'
import { anyPatterns, anyTexts } from '../../http/lists/list-query.ts'
import { extended } from '../../base/lazy-fields.ts'
import { Acl } from './acl-model.ts'

/** Fields of the containers of every cloud. */
export const CommonContainer = extended(Resource, () => ({
  name: z.string(),
  connection: z.string().optional().meta({ description: 'name; absent when the connection was deleted by force' }),
  acls: z.array(Acl),
}))

/** Field that only a container's record has: absent after its connection was deleted by force. */
export const storedContainer = { connection_id: z.string().optional() }

export const commonContainerFilters = { ...anyPatterns('name'), ...anyTexts('id', 'connection') }

import * as z from 'zod'
import { CommonVersion, commonVersionFilters } from '../../../cloud/keys/model.ts'
import { NameOrId } from '../../../http/common-fields.ts'
import { anyTexts, listQuery } from '../../../http/lists/list-query.ts'
import { strictObject } from '../../../base/lazy-fields.ts'
import { CloudCVersionParam } from '../param.ts'

/** One version of a key of the cloud. */
export const CloudCVersion = CommonVersion.extend({ cloud_c_params: CloudCVersionParam })
export type CloudCVersion = z.infer<typeof CloudCVersion>

export const CloudCVersionQuery = listQuery(
  CloudCVersion,
  () => ({
    ...commonVersionFilters,
    ...anyTexts('algorithm'),
  }),
  ['version', 'name', 'algorithm'],
)

export const ReimportVersion = strictObject(() => ({
  source_key_id: NameOrId.optional().meta({ description: 'default: the local key with the material' }),
  source_key_tier: z.literal('local').optional(),
}))
export type ReimportVersion = z.infer<typeof ReimportVersion>

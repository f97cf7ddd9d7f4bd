import * as z from 'zod'
import { column, NameOrId } from '../../http/common-fields.ts'
import { anyOf } from '../../http/lists/list-query.ts'
import { reportSchemas } from '../../work/report/model.ts'
import { strictObject } from '../../base/lazy-fields.ts'
import { CLOUD_A_NAMES } from './keys/model.ts'
import { Region } from './kms/model.ts'

const LogGroup = z
  .string()
  .max(512)
  .regex(/^[\w./#-]+$/, { error: 'must be the name of a log group' })

/** A place to report on. */
export const ReportedPlace = strictObject(() => ({
  kms: NameOrId,
  region: Region.optional().meta({ description: 'every region of the entry without it' }),
  log_group: LogGroup.optional().meta({ description: 'that the trail writes to; key-report needs it' }),
}))
export type ReportedPlace = z.infer<typeof ReportedPlace>

export const reportModel = reportSchemas({
  params: { field: 'cloud_a_params', schema: ReportedPlace },
  containerList: { field: 'kms', description: 'names of the entries' },
  content: { kms: z.string().meta(column('container')), key_arn: z.string(), account_id: z.string() },
  filters: { cloud_name: anyOf(CLOUD_A_NAMES).optional() },
})

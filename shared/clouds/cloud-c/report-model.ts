import * as z from 'zod'
import { column, NameOrId } from '../../http/common-fields.ts'
import { reportSchemas } from '../../work/report/model.ts'
import { strictObject } from '../../base/lazy-fields.ts'

/** Content rows about a ring as a whole have no key name. */
export const reportModel = reportSchemas({
  params: {
    field: 'cloud_c_params',
    schema: strictObject(() => ({ key_ring: NameOrId.meta({ description: 'full name or id of the ring' }) })),
  },
  containerList: { field: 'key_rings', description: 'full names of the rings' },
  content: { key_ring: z.string().meta(column('container')), project: z.string(), organization: z.string().optional() },
})

import * as z from 'zod'
import { listOf, Time } from '../../http/common-fields.ts'
import { anyPatterns, listQuery } from '../../http/lists/list-query.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'

/** A setting of the deployment that its administrators can change. */
export const Property = object(() => ({
  name: z.string(),
  description: z.string(),
  value: z.int(),
  default: z.int(),
  min: z.int(),
  max: z.int(),
  updatedAt: Time.optional(),
}))
export type Property = z.infer<typeof Property>

export const Properties = listOf(Property)
export const PropertyQuery = listQuery(Property, () => anyPatterns('name'))
export type PropertyQuery = z.infer<typeof PropertyQuery>
export const PropertyPath = strictObject(() => ({ name: z.string().min(1).max(100) }))
export const UpdateProperty = strictObject(() => ({ value: z.int() }))
export type UpdateProperty = z.infer<typeof UpdateProperty>

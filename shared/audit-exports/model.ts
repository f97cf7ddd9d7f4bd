import * as z from 'zod'
import { Time } from '../http/common-fields.ts'
import { oneText } from '../http/lists/list-query.ts'
import { notBefore, withRules } from '../http/rules.ts'
import { object, strictObject } from '../base/lazy-fields.ts'
import { SOURCE } from './service-instances.ts'

export const CreateExport = withRules(
  strictObject(() => ({
    from: Time.meta({ description: 'first time of the records' }),
    to: Time.meta({ description: 'last time of the records; a later one than now is cut to now' }),
    resourceId: z.uuid().optional().meta({ description: 'a service instance; without, the own one' }),
    source: z.literal(SOURCE).optional(),
  })),
  notBefore('from', 'to'),
)
export type CreateExport = z.infer<typeof CreateExport>

export const CreatedExport = object(() => ({ jobId: z.uuid() }))

export const EXPORT_STATES = ['in_progress', 'completed', 'failed'] as const

/** Ours: while a job is under way, its state is answered with 202; the interface specifies only the address. */
export const ExportState = object(() => ({
  jobId: z.uuid(),
  status: z.enum(EXPORT_STATES),
  records: z.int().meta({ description: 'in the list so far' }),
  message: z.string().optional().meta({ description: 'why it failed' }),
  url: z.string().optional().meta({ description: 'signed address of the ZIP file, once it is completed' }),
  expiresAt: Time.optional().meta({ description: 'end of the address' }),
}))
export type ExportState = z.infer<typeof ExportState>

export const ExportPath = strictObject(() => ({ jobId: z.uuid() }))

/** The signed query of an address. */
export const AddressQuery = strictObject(() => ({ tenant: oneText(), expires: oneText(), signature: oneText() }))
export type AddressQuery = z.infer<typeof AddressQuery>

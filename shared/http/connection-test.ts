import * as z from 'zod'
import { defined } from '../base/fields.ts'
import { object } from '../base/lazy-fields.ts'

/** Steps of a test of a connection, in order. */
const TEST_STEPS = ['address', 'log_in', 'permission'] as const
export type TestStep = (typeof TEST_STEPS)[number]

/** Ours: the first step that failed, so that clients need not guess it from the words of the other side. */
const failedStep = () =>
  z.enum(TEST_STEPS).meta({
    description:
      'step that failed. address: no answer, or not that of such a service. log_in: the credentials are refused. ' +
      'permission: they are accepted, and may not read what the test reads',
  })

/** The outcome of a test. */
export const connectionTest = () =>
  object(() => ({
    connection_ok: z.boolean(),
    connection_error: z.string().optional().meta({ description: 'why not, without secrets' }),
    connection_failed_step: failedStep().optional(),
  }))
export type ConnectionTest = z.infer<ReturnType<typeof connectionTest>>

/** Fields of a connection with the outcome of its last test. */
export const lastTest = () => ({
  last_connection_ok: z.boolean().optional().meta({ description: 'absent before the first test' }),
  last_connection_error: z.string().optional(),
  last_connection_failed_step: failedStep().optional(),
})

/** Fields of a connection that a change of its credentials removes. */
export const TESTED = [
  'last_connection_ok',
  'last_connection_error',
  'last_connection_failed_step',
  'last_connection_at',
] as const

/** The outcome of a test as fields of a connection, which no longer has those of the test before. */
export const outcomeOfTest = (test: ConnectionTest, now: Date) => ({
  last_connection_ok: test.connection_ok,
  ...defined({
    last_connection_error: test.connection_error,
    last_connection_failed_step: test.connection_failed_step,
  }),
  last_connection_at: now.toISOString(),
})
